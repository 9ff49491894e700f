import { finding, needsSnapshot, type Scenario } from "./scenario.ts";
import type { Part } from "./actor.ts";

const key = "counter/visits";

/** Two agents add to one counter: both read it before either writes. */
export const lostUpdate: Scenario = {
  name: "lost-update",
  story: "two agents each add one to a counter that both have read as 0",
  expected: needsSnapshot,
  condition: "serializable",
  async play(play) {
    await play.given({ [key]: 0 });
    const add: Part<number> = async (tx, pause) => {
      const seen = (await tx.get<number>(key)) ?? 0;
      await pause(`${seen} and one more is ${seen + 1}`);
      tx.put(key, seen + 1);
      return seen + 1;
    };
    const ada = await play.begin("ada", add);
    const ben = await play.begin("ben", add);
    await ada.finish();
    await ben.finish();
    const visits = await play.read<number>(key);
    return finding(visits !== 2, `two increments were acknowledged, and the counter shows ${visits}`);
  },
};
