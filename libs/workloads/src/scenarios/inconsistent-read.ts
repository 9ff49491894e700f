import { finding, needsSnapshot, type Scenario } from "./scenario.ts";

const [left, right] = ["accounts/left", "accounts/right"] as const;

/** An agent adds up two keys, and a move between them falls in the middle. */
export const inconsistentRead: Scenario = {
  name: "inconsistent-read",
  story: "an agent totals two accounts of 100 while 50 move from one to the other",
  expected: needsSnapshot,
  condition: "serializable",
  async play(play) {
    await play.given({ [left]: 100, [right]: 100 });
    const auditor = await play.begin("auditor", async (tx, pause) => {
      const first = (await tx.get<number>(left)) ?? 0;
      await pause("now the other one");
      return first + ((await tx.get<number>(right)) ?? 0);
    });
    await play.perform("mover", async (tx) => {
      tx.put(left, ((await tx.get<number>(left)) ?? 0) - 50);
      tx.put(right, ((await tx.get<number>(right)) ?? 0) + 50);
    });
    const total = await auditor.finish();
    return finding(
      total !== 200,
      `the auditor reports a total of ${total}, where there were never more or less than 200`,
    );
  },
};
