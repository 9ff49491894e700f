// One agent in a process of its own: writes COUNT keys under PREFIX, one transaction each.
import { connect, open } from "seriatim";

const [prefix, count, flag, where, , space, , view] = process.argv.slice(2);
const coordinator =
  flag === "--file"
    ? await open(where)
    : await connect({ brokers: where.split(","), space, view: `${view}.${prefix}` });
let committed = 0;
for (let index = 0; index < Number(count); index += 1) {
  const result = await coordinator.run({ agent: prefix }, (tx) => tx.put(`entries/${prefix}-${index}`, index));
  if (result.outcome === "committed") committed += 1;
}
await coordinator.close();
process.stdout.write(`${committed}\n`);
