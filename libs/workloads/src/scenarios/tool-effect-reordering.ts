import { finding, type Scenario } from "./scenario.ts";

/** Effects of one lane leave in the order of their commits, at every level. */
export const toolEffectReordering: Scenario = {
  name: "tool-effect-reordering",
  story: "two agents' effects on one lane: the first committed is slower, and must still land first",
  expected: { none: "prevented", snapshot: "prevented", serializable: "prevented" },
  condition: "claims",
  async play(play) {
    const outside = await play.outside("first");
    const send = (agent: string, what: string, lane: string) =>
      play.perform(agent, async (tx) => {
        tx.put(`outbox/${what}`, lane);
        tx.defer("deliver", what, lane);
      });
    await send("ada", "first", "mail");
    await send("ben", "second", "mail");
    // It comes last, on a lane of its own: once it has landed, the second one could have long since.
    await send("cy", "third", "press");
    await outside.until("third");
    outside.goOn();
    await outside.until("second");
    await outside.until("first");
    const { landed } = outside;
    return finding(landed.indexOf("second") < landed.indexOf("first"), `they landed in the order ${landed.join(", ")}`);
  },
};
