// Follows into a view, and looks whether what it shows is whole: every count is the number of its entries.
import { setTimeout as pause } from "node:timers/promises";
import { end, openPatiently, passing, tell } from "./child.mjs";

const [name, place, work = "{}"] = process.argv.slice(2);
const { ledgers = 3 } = JSON.parse(work);
const coordinator = await openPatiently(JSON.parse(place), {});
tell({ kind: "ready" });

for (let look = 0; ; look += 1) {
  const ledger = `ledger${look % ledgers}`;
  try {
    const result = await coordinator.run({ agent: name }, async (tx) => ({
      count: (await tx.get(`${ledger}/count`)) ?? 0,
      entries: await tx.count({ prefix: `${ledger}/entries/` }),
    }));
    // Refused: others wrote at each of its attempts, and it has seen nothing.
    if (result.outcome === "refused") continue;
    const { value } = result;
    tell({ kind: "looked", whole: value.count === value.entries, ...value });
  } catch (error) {
    if (!passing.includes(error.code)) end(error);
    tell({ kind: "failed", action: `${name}.${look}`, code: error.code });
  }
  // Only so that looking leaves the processor to those who write.
  await pause(20);
}
