/* Whole logs for the property test: small enough to read, and nasty. */
import * as fc from "fast-check";
import { bytesOf, createCodec, encodeGenesis, leastVerdictBytes, sha256 } from "@seriatim/protocol";
import type { Genesis, Intent, RecordCodec } from "@seriatim/protocol";
import { drafts, mostly } from "./drafts.ts";
import type { Draft } from "./drafts.ts";
import type { LoggedRecord } from "./model.ts";
import { cancel, expire, genesisOf, hold, submit } from "./partition.ts";

export interface Log {
  readonly genesis: Genesis;
  readonly partition: number;
  readonly records: readonly LoggedRecord[];
}

const small = { keyBytes: 12, nameBytes: 16, conflicts: 3, effectBytes: 300 };
const limits = {
  ...small,
  valueBytes: 6,
  resultBytes: 6,
  points: 4,
  ranges: 2,
  writes: 3,
  effects: 3,
  holds: 2,
  leaseMs: 40,
  recordBytes: 950,
  verdictBytes: leastVerdictBytes(small),
  window: 8,
};

/** With three partitions, `a` belongs to 1 and `b` to 2. */
const spaces: readonly { readonly genesis: Genesis; readonly partition: number }[] = [
  { genesis: genesisOf(1, { ...limits, partitionKeys: 0 }), partition: 0 },
  { genesis: genesisOf(1, { ...limits, partitionKeys: 1 }), partition: 0 },
  { genesis: genesisOf(3, { ...limits, partitionKeys: 1 }), partition: 1 },
  { genesis: genesisOf(1, { ...limits, partitionKeys: 0, window: 6, conflicts: 1 }), partition: 0 },
];

/** `hold` is one more of the same id, `expire` names the record, `confirm` is a submit that does. */
type FollowUp = (typeof followUps)[number];
const followUps = ["again", "cancel", "other", "hold", "expire", "expire", "confirm"] as const;

type Move =
  | { readonly kind: "new"; readonly draft: Draft }
  /** A record from before, or its cancel, or something else under its id and snapshot. */
  | { readonly kind: FollowUp; readonly back: number }
  | { readonly kind: "garbage"; readonly bytes: Uint8Array }
  | { readonly kind: "broken"; readonly back: number; readonly cut: number }
  | { readonly kind: "genesis" };

/** Half of it begins as a record does, with a schema that no space admits. */
const garbage = fc
  .tuple(fc.constantFrom([], [0xc3, 0x01, 1, 2, 3, 4, 5, 6, 7, 8]), fc.uint8Array({ maxLength: 30 }))
  .map(([head, tail]) => Uint8Array.from([...head, ...tail]));

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 40, arbitrary: fc.record({ kind: fc.constant("new"), draft: drafts }) },
  { weight: 14, arbitrary: fc.record({ kind: fc.constantFrom(...followUps), back: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("garbage"), bytes: garbage }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("broken"), back: fc.nat(9), cut: fc.integer({ min: 1, max: 20 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("genesis") }) },
);

interface Step {
  readonly move: Move;
  /** How many offsets the log leaves out before the record. */
  readonly hole: number;
  /** By how much the broker's clock moves on, or back. */
  readonly tick: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  move,
  hole: mostly(fc.constant(0), 20, fc.integer({ min: 1, max: 9 })),
  tick: fc.integer({ min: -4, max: 9 }),
});

export const logs: fc.Arbitrary<Log> = fc
  .record({ at: fc.constantFrom(...spaces), start: fc.nat(3), steps: fc.array(step, { maxLength: 40, size: "max" }) })
  .map(({ at, start, steps }) => {
    const log = new GrowingLog(at.genesis, at.partition, start);
    for (const taken of steps) log.append(taken);
    return { genesis: at.genesis, partition: at.partition, records: log.records };
  });

interface Appended {
  readonly intent: Intent;
  readonly offset: number;
}

/** A log as the steps make it, which say where they are in relation to what stands there already. */
class GrowingLog {
  readonly records: LoggedRecord[];
  readonly #intents: Appended[] = [];
  readonly #codec: RecordCodec;
  readonly #genesis: Genesis;
  readonly #partition: number;
  readonly #start: number;

  constructor(genesis: Genesis, partition: number, start: number) {
    this.records = [{ offset: start, appendTime: 100, bytes: encodeGenesis(genesis) }];
    this.#codec = createCodec(genesis, sha256);
    this.#genesis = genesis;
    this.#partition = partition;
    this.#start = start;
  }

  append({ move: taken, hole, tick }: Step): void {
    const last = this.records.at(-1) ?? { offset: 0, appendTime: 0 };
    const offset = last.offset + 1 + hole;
    this.records.push({ offset, appendTime: last.appendTime + tick, bytes: this.#bytesFor(taken, offset) });
  }

  #bytesFor(taken: Move, offset: number): Uint8Array {
    switch (taken.kind) {
      case "genesis":
        return encodeGenesis(this.#genesis);
      case "garbage":
        return taken.bytes;
      case "broken":
        return this.records.at(-1 - taken.back)?.bytes.slice(0, -taken.cut) ?? new Uint8Array();
      case "new":
        return this.#encode(this.#placed(taken.draft, offset), offset);
      case "again":
      case "cancel":
      case "other":
      case "hold":
      case "expire":
      case "confirm":
        return this.#encode(this.#followUp(taken.kind, this.#before(taken), offset), offset);
    }
  }

  #encode(intent: Intent, offset: number): Uint8Array {
    this.#intents.push({ intent, offset });
    return this.#codec.encodeIntent(intent);
  }

  #placed({ intent, behind, versions }: Draft, offset: number): Intent {
    // Mostly not below the log's start, where it would be invalid.
    const snapshot = Math.max(offset - behind, behind > 20 ? -1 : this.#start);
    const partition = this.#partition + intent.partition;
    if (intent.kind !== "submit") return { ...intent, snapshot, partition };
    const points = intent.points.map(({ key }, index) => {
      const distance = versions[index] ?? null;
      return { key, version: distance === null ? null : snapshot - distance };
    });
    return { ...intent, snapshot, partition, points };
  }

  /** Expires and confirms mostly mean a hold. */
  #before({ kind, back }: { readonly kind: FollowUp; readonly back: number }): Appended | undefined {
    const before = this.#intents.slice(0, this.#intents.length - back);
    const last = before.at(-1);
    if (kind !== "expire" && kind !== "confirm") return last;
    return before.findLast(({ intent }) => intent.kind === "hold") ?? last;
  }

  #followUp(kind: FollowUp, before: Appended | undefined, offset: number): Intent {
    if (before === undefined) return submit({ partition: this.#partition, snapshot: offset - 1 });
    const { space, partition, id, snapshot } = before.intent;
    const same = { space, partition, id, snapshot };
    switch (kind) {
      case "again":
        return before.intent;
      case "cancel":
        return cancel(same);
      case "other":
        return submit({ ...same, agent: "other" });
      case "hold":
        return hold({ ...same, index: 1, lease: 5, timeout: 4 });
      case "expire":
        return expire({ ...same, hold: before.offset });
      case "confirm":
        return submit({ ...same, holds: [before.offset] });
    }
  }
}

/** A log as a failure should show it. */
export function described({ genesis, partition, records }: Log): string {
  const codec = createCodec(genesis, sha256);
  const lines = records.map(({ offset, appendTime, bytes: record }) => {
    const decoded = codec.decodeIntent(record);
    return `${offset} at ${appendTime}: ${JSON.stringify(decoded.kind === "invalid" ? { ...decoded, record: bytesOf(record) } : decoded)}`;
  });
  return [`partition ${partition}, limits ${JSON.stringify(genesis.limits)}`, ...lines].join("\n");
}
