import {
  beforeGenesis,
  createCodec,
  createGenesis,
  emptyIntent,
  encodeGenesis,
  sha256,
  toBytes,
  type Digest,
  type Outcome,
  type Position,
  type Submit,
} from "@seriatim/protocol";
import { keyCount, type WorkloadTransaction } from "./workload.ts";

export const keyNames = Array.from({ length: keyCount }, (_, key) => `k/${key}`);
const keys = keyNames.map(toBytes);

/** A record of each log, and the chain hash of the verdict. */
export interface RecordPair {
  readonly intent: Uint8Array;
  readonly verdict: Uint8Array;
  readonly chain: Digest;
}

/** The records that a space's logs would hold of the workload. */
export class RecordMaker {
  readonly #genesis = createGenesis({ partitions: 1 });
  readonly #codec = createCodec(this.#genesis, sha256);
  #position: Position = beforeGenesis;

  /** Of offset 0, to be taken first. */
  genesis(): RecordPair {
    const intent = encodeGenesis(this.#genesis);
    return this.#pair(0, intent, { id: null, agent: null }, { kind: "genesis", genesis: intent });
  }

  next(transaction: WorkloadTransaction): RecordPair {
    const { offset } = transaction;
    const submit = this.#submitOf(transaction);
    const { writes, effects, holds, result } = submit;
    const outcome = {
      kind: "committed",
      writes: writes.map(({ key, value }) => ({ key, value })),
      effects,
      holds,
      result,
    } as const;
    return this.#pair(offset, this.#codec.encodeIntent(submit), submit, outcome);
  }

  #submitOf({ offset, snapshot, reads, writes }: WorkloadTransaction): Submit {
    const value = Buffer.from(String(offset));
    return {
      ...emptyIntent,
      space: this.#genesis.space,
      id: idOf(offset),
      agent: agentOf(offset),
      snapshot,
      points: reads.map(([key, version]) => ({ key: keyOf(key), version })),
      writes: writes.map((key) => ({ key: keyOf(key), value, blind: false })),
    };
  }

  #pair(
    offset: number,
    intent: Uint8Array,
    { id, agent }: { readonly id: string | null; readonly agent: string | null },
    outcome: Outcome,
  ): RecordPair {
    const { space } = this.#genesis;
    const [predecessor, time, digest] = [this.#position, timeOf(offset), sha256(intent)];
    const draft = { space, partition: 0, offset, predecessor, digest, id, agent, time, outcome };
    const { bytes, chain } = this.#codec.encodeVerdict(draft);
    this.#position = { offset, chain };
    return { intent, verdict: bytes, chain };
  }
}

function keyOf(key: number) {
  return keys[key] ?? toBytes("k/0");
}

export function idOf(offset: number): string {
  return `i${offset}`;
}

export function agentOf(offset: number): string {
  return `agent-${offset % 8}`;
}

export function timeOf(offset: number): number {
  return 1_700_000_000_000 + offset;
}
