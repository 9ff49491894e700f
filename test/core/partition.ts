import { emptyIntent, createCodec, createGenesis, encodeGenesis, sha256, toBytes, toKey } from "@seriatim/protocol";
import type {
  Bytes,
  Cancel,
  Conflict,
  Expire,
  Genesis,
  Hold,
  Intent,
  Limits,
  Outcome,
  Submit,
  Verdict,
  Write,
} from "@seriatim/protocol";
import { decide, evolve, initialState } from "../../services/sequencer/src/core/index.ts";
import type { IntentsRecord, Rules } from "../../services/sequencer/src/core/index.ts";

export const space = "\x01".repeat(16) as Bytes;
export const otherSpace = "\x02".repeat(16) as Bytes;

export function genesisOf(partitions: number, limits: Partial<Limits>): Genesis {
  return { ...createGenesis({ partitions, limits }), space };
}

export function submit(parts: Partial<Submit> = {}): Submit {
  return { ...emptyIntent, space, id: "id", agent: "agent", ...parts };
}

export function cancel(parts: Partial<Cancel> = {}): Cancel {
  return { kind: "cancel", space, partition: 0, id: "id", agent: "agent", snapshot: 0, ...parts };
}

/** Leased for 500 ms. */
export function hold(parts: Partial<Hold> = {}): Hold {
  return {
    kind: "hold",
    space,
    partition: 0,
    id: "id",
    agent: "agent",
    snapshot: 0,
    attempt: "attempt",
    index: 0,
    name: "reserve",
    arguments: Buffer.from("{}"),
    undo: "release",
    lease: 500,
    timeout: 100,
    ...parts,
  };
}

export function expire(parts: Partial<Expire> = {}): Expire {
  return { kind: "expire", space, partition: 0, id: "id", agent: "worker", snapshot: 0, hold: 1, ...parts };
}

export function write(key: string, value: string | null = "v", blind = false): Write {
  return { key: toKey(key), value: value === null ? null : Buffer.from(value), blind };
}

export function point(key: string, version: number | null = null) {
  return { key: toKey(key), version };
}

export function range(from: string, to: string) {
  return { from: toBytes(from), to: toBytes(to) };
}

export function conflict(kind: Conflict["kind"], key: string, version: number): Conflict {
  return { kind, key: toKey(key), version };
}

export function refusal(parts: Omit<Partial<Extract<Outcome, { kind: "refused" }>>, "kind">): Outcome {
  return { kind: "refused", code: "invalid", reason: null, conflicts: [], first: null, ...parts };
}

/** One partition with its intents log, decided record by record. The genesis stands at offset 0, at time 1,000. */
export class Partition {
  readonly rules: Rules & { readonly codec: ReturnType<typeof createCodec> };
  readonly number: number;
  readonly state;
  readonly verdicts: Verdict[] = [];
  #next = 0;
  #time = 1_000;

  constructor(genesis: Genesis, number = 0) {
    this.rules = { genesis, codec: createCodec(genesis, sha256) };
    this.number = number;
    this.state = initialState(genesis.limits.window);
    this.append(encodeGenesis(genesis));
  }

  /** The offset that the next record gets. */
  get next(): number {
    return this.#next;
  }

  /** From here on, records are appended at this time. */
  setClock(time: number): void {
    this.#time = time;
  }

  /** Leaves a hole, so that the next record stands at `offset`. */
  skipTo(offset: number): void {
    this.#next = offset;
  }

  append(what: Intent | Uint8Array): Verdict {
    const bytes = what instanceof Uint8Array ? what : this.rules.codec.encodeIntent(what);
    const record: IntentsRecord = { offset: this.#next, appendTime: this.#time, bytes, digest: sha256(bytes) };
    const { verdict } = decide(this.rules, this.number, this.state.head, this.state, record);
    evolve(this.state, verdict);
    this.verdicts.push(verdict);
    this.#next += 1;
    return verdict;
  }

  /** The outcome of `what` as the next record, which has everything before it in its snapshot unless it says so. */
  outcomeOf(what: Intent | Uint8Array): Outcome {
    return this.append(what).outcome;
  }
}
