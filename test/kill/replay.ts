import { hexOf, sha256, type Key, type RecordCodec, type Verdict } from "@seriatim/protocol";
import { decide, evolve, initialState, type MemoryState } from "@seriatim/sequencer";
import type { Log } from "@seriatim/log";

/** What one partition's intents come to when they are decided here, from the first on. */
export class Replay {
  readonly verdicts: Verdict[] = [];
  /** The verdicts' bytes by offset, in hexadecimal. */
  readonly bytes = new Map<number, string>();
  readonly chains = new Map<number, string>();
  /** Every key that was ever written. */
  readonly keys = new Set<Key>();
  readonly #codec: RecordCodec;
  readonly #partition: number;
  readonly #state: MemoryState;
  #told = { applied: 0, offset: -1, state: new Map<Key, string>() };

  constructor(codec: RecordCodec, partition: number) {
    this.#codec = codec;
    this.#partition = partition;
    this.#state = initialState(codec.genesis.limits.window);
  }

  /** Decides all that the log holds now and was not decided yet. */
  async read(intents: Log): Promise<void> {
    const { end } = await intents.bounds(this.#partition);
    const from = this.#state.head.position.offset + 1;
    await readAll(intents, this.#partition, { from, end }, (offset, value, time) => this.#decide(offset, value, time));
  }

  /** What stands under each key at `offset`. Best asked for in order. */
  stateAt(offset: number): ReadonlyMap<Key, string> {
    if (offset < this.#told.offset) this.#told = { applied: 0, offset: -1, state: new Map() };
    const { state } = this.#told;
    for (let verdict = this.#next(); verdict !== undefined && verdict.offset <= offset; verdict = this.#next()) {
      this.#told.applied += 1;
      if (verdict.outcome.kind !== "committed") continue;
      for (const { key, value } of verdict.outcome.writes) {
        if (value === null) state.delete(key);
        else state.set(key, Buffer.from(value).toString());
      }
    }
    this.#told.offset = offset;
    return state;
  }

  #next(): Verdict | undefined {
    return this.verdicts[this.#told.applied];
  }

  #decide(offset: number, value: Uint8Array, time: number): void {
    const record = { offset, appendTime: time, bytes: value, digest: sha256(value) };
    const rules = { genesis: this.#codec.genesis, codec: this.#codec };
    const { verdict, bytes } = decide(rules, this.#partition, this.#state.head, this.#state, record);
    evolve(this.#state, verdict);
    this.verdicts.push(verdict);
    this.bytes.set(offset, Buffer.from(bytes).toString("hex"));
    this.chains.set(offset, hexOf(verdict.chain));
    if (verdict.outcome.kind === "committed") for (const { key } of verdict.outcome.writes) this.keys.add(key);
  }
}

/** Decides all that the log holds now. */
export async function replay(intents: Log, codec: RecordCodec, partition: number): Promise<Replay> {
  const result = new Replay(codec, partition);
  await result.read(intents);
  return result;
}

/** Calls `each` with every record from `from` on and below `end`, at which the log must have arrived. */
export async function readAll(
  log: Log,
  partition: number,
  { from, end }: { readonly from: number; readonly end: number },
  each: (offset: number, value: Uint8Array, time: number) => void,
): Promise<void> {
  if (end <= from) return;
  const stop = new AbortController();
  for await (const { records } of log.read(new Map([[partition, from]]), { signal: stop.signal })) {
    for (const { offset, value, time } of records) if (offset < end) each(offset, value, time);
    if ((records.at(-1)?.offset ?? -1) >= end - 1) stop.abort();
  }
}
