import type { LogRecord, SimulatedLog } from "@seriatim/log";
import { sha256, linkOf, beforeGenesis, type RecordCodec, type Verdict, type Position } from "@seriatim/protocol";
import { decide, evolve, initialState, type Decision } from "@seriatim/sequencer";

/** Every record of a partition. */
export function recordsOf(log: SimulatedLog, partition: number): LogRecord[] {
  return log.records.fetch(partition, 0, Number.MAX_SAFE_INTEGER);
}

/** What a sequencer that nothing ever happened to decides of an intents log, from the start. */
export function replay(codec: RecordCodec, partition: number, intents: readonly LogRecord[]): Decision[] {
  const { genesis } = codec;
  const state = initialState(genesis.limits.window);
  return intents.map(({ offset, time, value }) => {
    const record = { offset, appendTime: time, bytes: value, digest: sha256(value) };
    const decision = decide({ genesis, codec }, partition, state.head, state, record);
    evolve(state, decision.verdict);
    return decision;
  });
}

/** The verdicts of a log that a reader applies, in order, as encoded (invariant 3). */
export function appliedIn(codec: RecordCodec, partition: number, verdicts: readonly LogRecord[]): Uint8Array[] {
  const applied: Uint8Array[] = [];
  let position: Position = beforeGenesis;
  for (const { value } of verdicts) {
    const verdict = codec.decodeVerdict(value);
    if (verdict === undefined || verdict.partition !== partition || verdict.space !== codec.genesis.space) continue;
    if (linkOf(position, verdict) !== "next") continue;
    applied.push(value);
    position = { offset: verdict.offset, chain: verdict.chain };
  }
  return applied;
}

export type Committed = Verdict & { readonly outcome: Extract<Verdict["outcome"], { readonly kind: "committed" }> };

export function isCommitted(verdict: Verdict): verdict is Committed {
  return verdict.outcome.kind === "committed";
}
