import { defineHandlers, open } from "seriatim";

let arrived;
const arrival = new Promise((resolve) => (arrived = resolve));

/** What the names of effects stand for. Give the receiver the key: it should act once for each. */
const handlers = defineHandlers({
  mail: {
    async call({ to }, { key, attempt }) {
      if (attempt === 1) throw new Error("the server is away"); // it is tried again, under the same key
      console.log(`mail to ${to}, attempt ${attempt}, a key of ${key.length} digits`);
      arrived();
    },
  },
});

const coordinator = await open("effects.db", { handlers });
const result = await coordinator.run({ agent: "approver" }, (tx) => {
  tx.put("approvals/7", { amount: 50 });
  tx.defer("mail", { to: "finance" }); // leaves if, and only if, this commits
  return "approved";
});
console.log(result.value);
await arrival;
await coordinator.close();
