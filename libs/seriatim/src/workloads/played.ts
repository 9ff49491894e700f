import { randomUUID } from "node:crypto";
import type { Answer } from "@seriatim/checker";
import type { Isolation } from "@seriatim/protocol";
import { Play, type Finding, type Scenario, type Step } from "@seriatim/workloads";
import { openAt, type Address } from "../staging/address.ts";
import type { TemporaryFolder } from "../staging/folder.ts";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import { startSiteWorker } from "../staging/site-worker.ts";
import { raiseSite } from "../staging/site.ts";
import { judgeAt, type Judged } from "./judging.ts";

/** One interleaving as it went at one level, and what was found of it. */
export interface Played {
  readonly scenario: Scenario;
  readonly isolation: Isolation;
  /** By the scenario's own invariant. */
  readonly finding: Finding;
  readonly steps: readonly Step[];
  /** By the checker, which read the log and nothing else. */
  readonly judged: Judged;
  /** Of the checker, on the condition that the scenario is about. */
  readonly answer: Answer;
  /** Whether both came out as they must. */
  readonly isAsExpected: boolean;
}

/** Plays a scenario in a space of its own. */
export async function playAt(
  place: FilePlace | KafkaPlace,
  scenario: Scenario,
  isolation: Isolation,
  folder: TemporaryFolder,
): Promise<Played> {
  const site = await raiseSite(place, `${scenario.name}-${isolation}-${randomUUID().slice(0, 8)}`, folder);
  try {
    const play = await performAt(site.address, scenario, isolation, folder);
    const { finding } = play;
    const judged = await judgeAt(site.address);
    const answer = judged.judgement.findings[scenario.condition]?.answer ?? "undecided";
    return {
      scenario,
      isolation,
      finding,
      steps: play.steps,
      judged,
      answer,
      isAsExpected: agree(scenario, isolation, finding, answer, judged),
    };
  } finally {
    await site.end();
  }
}

async function performAt(
  address: Address,
  scenario: Scenario,
  isolation: Isolation,
  folder: TemporaryFolder,
): Promise<{ readonly finding: Finding; readonly steps: readonly Step[] }> {
  const coordinator = await openAt(address);
  const workers: (() => Promise<void>)[] = [];
  try {
    const play = new Play(coordinator, isolation, async (handlers) => {
      workers.push(await startSiteWorker(address, handlers, folder));
    });
    return { finding: await scenario.play(play), steps: play.steps };
  } finally {
    for (const end of workers) await end();
    await coordinator.close();
  }
}

/** The checker must see what happened, and every transaction must have had the level that it asked for. */
function agree(
  { expected }: Scenario,
  isolation: Isolation,
  { occurrence }: Finding,
  answer: Answer,
  { judgement, objections }: Judged,
): boolean {
  const areLanesKept = judgement.levels?.laneBreaks === 0;
  const isLevelKept = judgement.findings.claims?.answer === "holds" && objections.length === 0 && areLanesKept;
  return (
    occurrence === expected[isolation] && answer === (occurrence === "occurs" ? "violated" : "holds") && isLevelKept
  );
}
