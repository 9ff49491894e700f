import type { Part } from "./actor.ts";
import { finding, needsSerializable, type Scenario } from "./scenario.ts";

const prefix = "credits-customer-7/2026-07/";
const most = 2;

/** Each counts the rows and inserts its own: there is no row that both would write. */
export const phantomWriteSkew: Scenario = {
  name: "phantom-write-skew",
  story: "at most two goodwill credits a month: two runs count one each, and each inserts its own row",
  expected: needsSerializable,
  condition: "serializable",
  async play(play) {
    await play.given({ [`${prefix}run-1`]: 15 });
    const give =
      (run: string): Part<string> =>
      async (tx, pause) => {
        const credits = await tx.scan(prefix);
        await pause(`${credits.length} of ${most} are given`);
        if (credits.length >= most) return "limit_reached";
        tx.put(prefix + run, 15);
        return "granted";
      };
    const ada = await play.begin("ada", give("run-2"));
    const ben = await play.begin("ben", give("run-3"));
    await ada.finish();
    await ben.finish();
    const { length } = await play.scan(prefix);
    return finding(length > most, `${length} credits stand, and ${most} are allowed`);
  },
};
