import type { LoggedHistory, LoggedTransaction } from "../../history.ts";
import type { Coverage, Finding, Judgement, JudgeOptions, Levels } from "../../judgement.ts";
import { finding, noFindings, type Doubts } from "../findings.ts";
import type { GraphVerdict } from "../graph-verdict.ts";
import { Tally } from "../tally.ts";
import { ClaimTally } from "./claim-tally.ts";
import { secondLook, type Found } from "./second-look.ts";
import { StreamPass } from "./stream-pass.ts";

const examplesUnlessSet = 20;

/**
 * Judges a history in two looks. The first is a stream and keeps the newest version of each key; when no transaction
 * rests on anything but the newest versions, the order of the log is the proof, and no graph is built. Otherwise those
 * spans that can hold a cycle are read again, each is judged by its graph, and forgotten.
 */
export async function judgeLog(history: LoggedHistory, options: JudgeOptions): Promise<Judgement> {
  let read = 0;
  const onRead = (count: number): void => options.onProgress?.((read += count));
  const passes = await firstLook(history, onRead);
  const tally = new Tally(options.examples ?? examplesUnlessSet);
  const claims = new ClaimTally();
  for (const pass of passes.values()) claims.include(pass.claims);
  const found = await secondLook(history, passes, tally, claims, options, onRead);
  return assemble(history, Array.from(passes.values()), tally, claims, found, options);
}

async function firstLook(history: LoggedHistory, onRead: (count: number) => void): Promise<Map<number, StreamPass>> {
  const passes = new Map<number, StreamPass>();
  for await (const batch of history.read()) {
    for (const transaction of batch) passOf(passes, history, transaction).add(transaction);
    onRead(batch.length);
  }
  return new Map(Array.from(passes).toSorted(([a], [b]) => a - b));
}

function passOf(passes: Map<number, StreamPass>, history: LoggedHistory, transaction: LoggedTransaction): StreamPass {
  const { partition, offset } = transaction;
  let pass = passes.get(partition);
  if (pass === undefined) {
    pass = new StreamPass(partition, history.starts.get(partition) ?? offset, history.effectsKnown);
    passes.set(partition, pass);
  }
  return pass;
}

function assemble(
  history: LoggedHistory,
  passes: readonly StreamPass[],
  tally: Tally,
  claims: ClaimTally,
  found: Found,
  options: JudgeOptions,
): Judgement {
  const coverage = coverageOf(passes, found);
  const doubts = doubtsOf(coverage);
  const impossible = tally.counts.thin_air + tally.counts.G1a > 0;
  const against = (verdict: GraphVerdict, key: keyof GraphVerdict, more: Doubts = []): Finding =>
    finding(!verdict[key] || impossible, [...doubts, ...more, ...tooLarge(found)]);
  const inSessions = (key: keyof GraphVerdict): Finding | null =>
    options.session === true ? against(found.session, key, scatteredSessions(passes)) : null;
  const inRealTime = (key: keyof GraphVerdict): Finding | null =>
    options.realTime === true ? against(found.realTime, key) : null;
  return {
    findings: {
      ...noFindings(),
      serializable: against(found.plain, "serializable"),
      serializable_in_log_order: finding(found.outOfLogOrder || found.unjudged > 0 || impossible, doubts),
      snapshot_isolation: against(found.plain, "snapshotIsolation"),
      claims: finding(
        claims.claims.some(({ broken }) => broken > 0),
        [...doubts, ...tooLarge(found)],
      ),
      strong_session_serializable: inSessions("serializable"),
      strong_session_snapshot_isolation: inSessions("snapshotIsolation"),
      strict_serializable: inRealTime("serializable"),
      strong_snapshot_isolation: inRealTime("snapshotIsolation"),
    },
    counts: { ...tally.counts, G1b: null, internal: null, incompatible_order: null },
    cycles: tally.cycles,
    components: tally.components,
    badReads: tally.badReads,
    claims: claims.claims,
    levels: levelsOf(history, passes, found, impossible, doubts),
    coverage,
  };
}

/** What holds in each partition need not hold in all of them, where a session goes over several. */
function scatteredSessions(passes: readonly StreamPass[]): string[] {
  const seen = new Set<string>();
  for (const { agents } of passes) {
    for (const agent of agents)
      if (seen.has(agent)) return ["no log tells the order of an agent's transactions over several partitions"];
    for (const agent of agents) seen.add(agent);
  }
  return [];
}

function tooLarge({ unjudged }: Found): string[] {
  return unjudged === 0 ? [] : [`${unjudged} transactions overlap too far for a graph in memory`];
}

function doubtsOf({ checked, refused, undecided }: Coverage): string[] {
  if (undecided > 0)
    return [`of ${undecided} ${undecided === 1 ? "transaction" : "transactions"} the outcome is unknown`];
  return checked + refused === 0 ? ["the history holds no transaction"] : [];
}

function coverageOf(passes: readonly StreamPass[], { unjudged }: Found): Coverage {
  const sum = (count: (pass: StreamPass) => number): number => passes.reduce((total, pass) => total + count(pass), 0);
  return {
    checked: sum(({ committed }) => committed) - unjudged,
    refused: sum(({ aborted }) => aborted),
    undecided: sum(({ indeterminate }) => indeterminate) + unjudged,
    skipped: 0,
    partitions: passes.map(({ partition, start, first, last, initialReads }) => ({
      partition,
      start,
      first,
      last,
      initialReads,
    })),
    assumptions: assumptionsOf(passes),
  };
}

function assumptionsOf(passes: readonly StreamPass[]): string[] {
  const assumptions: string[] = [];
  if (passes.some(({ initialReads }) => initialReads > 0))
    assumptions.push("versions below the first offset read count as the initial state");
  if (passes.some(({ looseReads }) => looseReads > 0))
    assumptions.push(
      "at level none each read has a snapshot of its own, which the log does not tell: " +
        "a range, and a key found absent, count as read before what came after the transaction's snapshot, and no more",
    );
  return assumptions;
}

function levelsOf(
  { effectsKnown }: LoggedHistory,
  passes: readonly StreamPass[],
  found: Found,
  impossible: boolean,
  doubts: Doubts,
): Levels {
  const cascades = passes.reduce((total, pass) => total + pass.cascades, 0);
  const laneBreaks = passes.reduce((total, pass) => total + pass.lanes.breaks, 0);
  const { staleGenerations } = found;
  const isDoubtful = doubts.length > 0;
  const holds = [staleGenerations === 0 && found.unjudged === 0, cascades === 0 && !impossible, laneBreaks === 0];
  const broken = holds.indexOf(false);
  const highest = broken === -1 ? 3 : broken;
  const known = isDoubtful ? 0 : effectsKnown ? 3 : 2;
  return {
    reached: Math.min(highest, known) as Levels["reached"],
    undecided: known < highest,
    staleGenerations,
    cascades,
    laneBreaks,
  };
}
