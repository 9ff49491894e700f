/* Each interleaving at each level: what a level lets through is asserted as strictly as what it prevents. */
import { isolations } from "@seriatim/protocol";
import { Play, scenarios } from "@seriatim/workloads";
import { expect, it } from "vitest";
import { describeSpaces } from "../support/spaces.ts";

await describeSpaces("scenarios", (make) => {
  for (const scenario of scenarios)
    for (const isolation of isolations)
      it(`${scenario.name}, ${isolation}: ${scenario.expected[isolation]}`, async () => {
        const { coordinator } = await (await make()).join();
        const play = new Play(coordinator, isolation);
        const { occurrence, text } = await scenario.play(play);
        expect(occurrence, text).toBe(scenario.expected[isolation]);
        // Prevented by a refusal where reads are checked; at level none nobody is ever refused.
        const refusals = play.steps.filter(({ kind }) => kind === "refused").length;
        if (isolation === "none") expect(refusals).toBe(0);
        if (isolation === "serializable") expect(refusals).toBeGreaterThan(0);
      });
});
