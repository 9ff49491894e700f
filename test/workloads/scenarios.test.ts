/* Each interleaving at each level, judged twice: what a level lets through is asserted as strictly as what it prevents. */
import { isolations } from "@seriatim/protocol";
import { scenarios } from "@seriatim/workloads";
import { describe, expect, it } from "vitest";
import { TemporaryFolder } from "../../libs/seriatim/src/staging/folder.ts";
import type { FilePlace, KafkaPlace } from "../../libs/seriatim/src/staging/place.ts";
import { playAt } from "../../libs/seriatim/src/workloads/played.ts";
import { describeKafka } from "../support/kafka.ts";

describe("scenarios, embedded", () => play({ log: "sqlite", file: undefined, keep: false }));
await describeKafka("scenarios, on Kafka", (brokers) =>
  play({ log: "kafka", brokers, space: undefined, partitions: 2, sequencers: 1 }),
);

function play(place: FilePlace | KafkaPlace): void {
  for (const scenario of scenarios)
    for (const isolation of isolations)
      it(`${scenario.name}, ${isolation}: ${scenario.expected[isolation]}`, async ({ onTestFinished }) => {
        const folder = new TemporaryFolder("test");
        onTestFinished(() => folder.remove());
        const { finding, steps, answer, judged } = await playAt(place, scenario, isolation, folder);
        const { findings, counts, cycles, coverage } = judged.judgement;
        const occurs = scenario.expected[isolation] === "occurs";
        expect(finding.occurrence, finding.text).toBe(scenario.expected[isolation]);
        expect(answer).toBe(occurs ? "violated" : "holds");
        // A cycle, or a commit on what was overwritten before: the checker shows what it means.
        if (occurs) expect(cycles.length + (counts.stale_decision ?? 0)).toBeGreaterThan(0);
        expect(findings.claims).toMatchObject({ answer: "holds" });
        expect(judged.objections).toEqual([]);
        const given = steps.some(({ kind }) => kind === "given") ? 1 : 0;
        expect(coverage.checked).toBe(steps.filter(({ kind }) => kind === "commits").length + given);
        // Nobody is ever refused at level none, and at level serializable nothing is prevented but by a refusal.
        const refusals = steps.filter(({ kind }) => kind === "refused").length;
        expect(coverage.refused).toBe(refusals);
        if (isolation === "none") expect(refusals).toBe(0);
        if (isolation === "serializable" && scenario.expected.none === "occurs") expect(refusals).toBeGreaterThan(0);
        expect(judged.judgement.levels?.laneBreaks).toBe(0);
      });
}
