import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Report as CheckReport } from "@seriatim/checker";
import type { KafkaSpace } from "../../../libs/seriatim/src/kafka-space.ts";
import type { Crew } from "../../kill/crew.ts";
import { compareWithReplay, type History } from "../../kill/history.ts";
import { Judge, type Judgement } from "../../kill/judge.ts";
import { replay } from "../../kill/replay.ts";
import { judgeEffects, noneAsked, noteAsked, type EffectsJudgement } from "./effects.ts";
import type { FaultPlace } from "./place.ts";
import { check, openEffect } from "./program.ts";

export interface Verdict {
  readonly judgement: Judgement;
  readonly history: History;
  readonly effects: EffectsJudgement;
  /** What is left to be done about effects, and was not done in time. */
  readonly openEffect: string | undefined;
  readonly check: CheckReport;
}

/** With no call for so long, in ms, what is left of the effects is taken to be stuck. */
const stuck = 60_000;

/** Judges what a crew has left, whose sequencers and workers are still at work; ends them. */
export async function judgeAll(place: FaultPlace, crew: Crew, folder: string): Promise<Verdict> {
  const space = (await place.open()) as KafkaSpace;
  try {
    const judgement = await new Judge(space, crew.journal).judge();
    const asked = noneAsked();
    for (let partition = 0; partition < space.genesis.partitions; partition += 1) {
      const { verdicts } = await replay(space.intents, space.codec, partition);
      noteAsked(asked, space.genesis, partition, verdicts);
    }
    const left = await untilDone(place, join(folder, "judge.effects.db"));
    const effects = judgeEffects(asked, place.receiver);
    await crew.end();
    const report = await check(place);
    const history = await compareWithReplay(place, space);
    return { judgement, history, effects, openEffect: left, check: report };
  } finally {
    await space.close();
  }
}

/** Resolves with what is still open when nothing was called any more for long; with undefined when all is done. */
async function untilDone(place: FaultPlace, effectsFile: string): Promise<string | undefined> {
  let calledAt = performance.now();
  place.receiver.onCall(() => (calledAt = performance.now()));
  for (;;) {
    const left = await openEffect(place, effectsFile);
    if (left === undefined || performance.now() - calledAt > stuck) return left;
    await pause(500);
  }
}
