import { finding, needsSerializable, type Scenario } from "./scenario.ts";

const budget = "policy/budget";
const approval = "policy/approvals/1042";

/** An approval against a budget that changes while the agent thinks. It writes elsewhere, so that no write collides. */
export const staleRead: Scenario = {
  name: "stale-read",
  story: "an agent approves 50 against a budget of 100 that was cut to 20 while it thought",
  expected: needsSerializable,
  condition: "serializable_in_log_order",
  async play(play) {
    await play.given({ [budget]: 100 });
    const approver = await play.begin("approver", async (tx, pause) => {
      const left = (await tx.get<number>(budget)) ?? 0;
      await pause(`50 of ${left} ${left >= 50 ? "is fine" : "is too much"}`);
      if (left < 50) return "declined";
      tx.put(approval, { amount: 50 });
      return "approved";
    });
    await play.perform("finance", async (tx) => {
      await tx.get(budget);
      tx.put(budget, 20);
    });
    const answer = await approver.finish();
    return finding(
      (await play.read(approval)) !== undefined,
      `the budget is ${await play.read<number>(budget)}, and 50 were ${answer}`,
    );
  },
};
