// One agent in a process of its own: adds to shared counters, COUNT times, each a transaction over two keys.
import { connect, open } from "seriatim";

const [name, count, place] = process.argv.slice(2);
const where = JSON.parse(place);
const coordinator = "file" in where ? await open(where.file) : await connect(where);
let committed = 0;
for (let index = 0; index < Number(count); index += 1) {
  const result = await coordinator.run({ agent: name, attempts: 200 }, async (tx) => {
    const own = `counters/${index % 3}`;
    const n = (await tx.get(own)) ?? 0;
    const total = (await tx.get("counters/total")) ?? 0;
    tx.put(own, n + 1);
    if (index % 2 === 0) tx.put("counters/total", total + 1);
  });
  if (result.outcome === "committed") committed += 1;
}
await coordinator.close();
process.stdout.write(`${committed}\n`);
