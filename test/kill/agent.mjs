// One agent: adds to counters for ever, now under a business id and now without one. Told what reaches the world outside,
// it defers an effect with its business, and with some of the rest calls something that is undone unless that commits.
import { httpHandlersFrom, isCallError } from "@seriatim/effects";
import { end, openPatiently, passing, tell } from "./child.mjs";

/** How long such a call stands for, in ms, when this process dies over it. */
const lease = 15_000;
const heldEvery = 3;

const [name, incarnation, pending, place, work = "{}"] = process.argv.slice(2);
const { ledgers = 3, http } = JSON.parse(work);
const hasEffects = http !== undefined;
let current;
const coordinator = await openPatiently(JSON.parse(place), {
  ...(hasEffects ? { handlers: httpHandlersFrom(http) } : {}),
  newId: () => {
    const intent = crypto.randomUUID();
    tell({ kind: "intent", action: current, intent });
    return intent;
  },
});
tell({ kind: "ready" });

/** Whether it is known what became of it; that may be that nothing was written. */
async function act(action, number, { isBusiness = false, isHeld = false }) {
  const ledger = `ledger${number % ledgers}`;
  current = action;
  tell({ kind: "begun", action, ledger, business: isBusiness });
  const business = isBusiness ? { id: action, partitionKey: ledger } : {};
  try {
    const result = await coordinator.run({ agent: name, attempts: 1000, ...business }, async (tx) => {
      const count = ((await tx.get(`${ledger}/count`)) ?? 0) + 1;
      if (isHeld) await tx.compensable("reserve", { action }, { undo: "release", lease });
      tx.put(`${ledger}/count`, count);
      tx.put(`${ledger}/entries/${action}`, count);
      if (isBusiness && hasEffects) tx.defer("act", { action, count }, { lane: name });
      return count;
    });
    if (result.outcome === "refused") end(new Error(`refused after 1000 attempts: ${result.refusal.code}`));
    const { value: count, version, repeated } = result;
    tell({ kind: "acknowledged", action, count, version, repeated });
    return true;
  } catch (error) {
    tell({ kind: "failed", action, code: isCallError(error) ? "call failed" : error.code });
    if (!isCallError(error) && !passing.includes(error.code)) end(error);
    return false;
  }
}

let number = Number(pending);
for (let single = 0; ; single += 1) {
  // The same business again until it is known to be done: by this process, or by the one that was killed over it.
  if (await act(`${name}.${number}`, number, { isBusiness: true })) number += 1;
  const isHeld = hasEffects && single % heldEvery === 0;
  await act(`${name}.${incarnation}.${single}${isHeld ? ".held" : ""}`, single, { isHeld });
}
