import type { Actor } from "./actor.ts";
import { finding, needsSerializable, type Scenario } from "./scenario.ts";

const prefix = "task-42/claims/";
const agents = 8;

/** Each claims the free task in a row of its own, so that nobody overwrites anybody. */
export const doubleClaim: Scenario = {
  name: "double-claim",
  story: "eight agents read that a task is free, and each claims it in a row of its own",
  expected: needsSerializable,
  condition: "serializable",
  async play(play) {
    await play.given({ "task-42/title": "rotate the keys" });
    const claimants: Actor<string>[] = [];
    for (let number = 1; number <= agents; number += 1) {
      const agent = `agent-${number}`;
      const claim = play.begin(agent, async (tx, pause) => {
        const claims = await tx.scan(prefix);
        await pause(claims.length === 0 ? "the task is free" : "the task is taken");
        if (claims.length > 0) return "taken";
        tx.put(prefix + agent, "mine");
        return "claimed";
      });
      claimants.push(await claim);
    }
    for (const claimant of claimants) await claimant.finish();
    const { length } = await play.scan(prefix);
    return finding(length > 1, `${length} of ${agents} agents hold the task`);
  },
};
