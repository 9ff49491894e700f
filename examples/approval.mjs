import { open } from "seriatim";

const coordinator = await open("state.db");
await coordinator.run({ agent: "finance", id: "budget-2026" }, (tx) => tx.put("policy/budget", 80));

/** Two of these at once cannot both spend the same 50. */
async function approve(approval) {
  const result = await coordinator.run({ agent: "approver", id: `approval-${approval}` }, async (tx) => {
    const budget = await tx.get("policy/budget");
    // Think as long as you like: with a model, give it tx.signal, and it stops when the budget changes meanwhile.
    if (budget < 50) return `declined: ${budget} left`;
    tx.put("policy/budget", budget - 50);
    tx.put(`approvals/${approval}`, { amount: 50 });
    return "approved";
  });
  return result.outcome === "committed" ? result.value : result.refusal.message;
}

console.log(await Promise.all([approve(1041), approve(1042)]));
console.log("again:", await approve(1041));
console.log("left:", await coordinator.get("policy/budget"));
await coordinator.close();
