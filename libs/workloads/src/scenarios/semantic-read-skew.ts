import { finding, needsSnapshot, type Scenario } from "./scenario.ts";

const index = "library/index";
const answer = "library/answers/1";
const refunds = "refunds take five days";

/** The place found in one generation of an index is looked up in the next one. */
export const semanticReadSkew: Scenario = {
  name: "semantic-read-skew",
  story: "step one reads an index, it is rebuilt, and step two answers from the new one at the old place",
  expected: needsSnapshot,
  condition: "serializable",
  async play(play) {
    await play.given({ [index]: { refunds: 7 }, "library/texts/7": refunds });
    const reader = await play.begin("reader", async (tx, pause) => {
      const { refunds: place } = (await tx.get<{ readonly refunds: number }>(index)) ?? { refunds: 0 };
      await pause(`refunds are at ${place}`);
      const text = await tx.get<string>(`library/texts/${place}`);
      tx.put(answer, text ?? "nothing found");
      return text;
    });
    await play.perform("indexer", async (tx) => {
      tx.put(index, { refunds: 9 });
      tx.put("library/texts/7", "closed on Sundays");
      tx.put("library/texts/9", refunds);
    });
    await reader.finish();
    const given = await play.read<string>(answer);
    return finding(given !== refunds, `asked about refunds, the answer is: ${given}`);
  },
};
