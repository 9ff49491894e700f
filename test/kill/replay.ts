import { hexOf, sha256, type Key, type RecordCodec, type Verdict } from "@seriatim/protocol";
import { decide, evolve, initialState } from "@seriatim/sequencer";
import type { Log } from "@seriatim/log";

/** What one partition's intents come to when they are decided here, from the first to the last. */
export class Replay {
  readonly verdicts: Verdict[] = [];
  /** The verdicts' bytes by offset, in hexadecimal. */
  readonly bytes = new Map<number, string>();
  readonly chains = new Map<number, string>();

  /** What stands under each key at `offset`. */
  stateAt(offset: number): ReadonlyMap<Key, string> {
    const state = new Map<Key, string>();
    for (const { offset: version, outcome } of this.verdicts) {
      if (version > offset) break;
      if (outcome.kind !== "committed") continue;
      for (const { key, value } of outcome.writes) {
        if (value === null) state.delete(key);
        else state.set(key, Buffer.from(value).toString());
      }
    }
    return state;
  }
}

/** Decides all that the log holds now. */
export async function replay(intents: Log, codec: RecordCodec, partition: number): Promise<Replay> {
  const result = new Replay();
  const { end } = await intents.bounds(partition);
  const state = initialState(codec.genesis.limits.window);
  await readAll(intents, partition, end, (offset, value, time) => {
    const record = { offset, appendTime: time, bytes: value, digest: sha256(value) };
    const { verdict, bytes } = decide({ genesis: codec.genesis, codec }, partition, state.head, state, record);
    evolve(state, verdict);
    result.verdicts.push(verdict);
    result.bytes.set(offset, Buffer.from(bytes).toString("hex"));
    result.chains.set(offset, hexOf(verdict.chain));
  });
  return result;
}

/** Calls `each` with every record below `end`, which has to be one that was reached. */
export async function readAll(
  log: Log,
  partition: number,
  end: number,
  each: (offset: number, value: Uint8Array, time: number) => void,
): Promise<void> {
  const stop = new AbortController();
  if (end === 0) return;
  for await (const { records } of log.read(new Map([[partition, 0]]), { signal: stop.signal })) {
    for (const { offset, value, time } of records) if (offset < end) each(offset, value, time);
    if ((records.at(-1)?.offset ?? -1) >= end - 1) stop.abort();
  }
}
