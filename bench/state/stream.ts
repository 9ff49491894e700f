import {
  createGenesis,
  encodeGenesis,
  sha256,
  toBytes,
  type Genesis,
  type Intent,
  type Isolation,
  type Offset,
  type Submit,
} from "@seriatim/protocol";
import type { IntentsRecord, Rules } from "@seriatim/sequencer";

/**
 * An intents log without end that is kept nowhere: what stands at an offset follows from the offset. Nearly every
 * record has an id and a key that no other has; some write, read or claim what one up to a window before it did, or
 * just beyond.
 */
export class Stream {
  readonly genesis: Genesis;
  /** The codec is not what is measured: a record's bytes say which offset made it, and in which of two forms. */
  readonly rules: Rules;
  readonly #window: number;

  constructor(window: number) {
    this.#window = window;
    this.genesis = createGenesis({ partitions: 1, limits: { window } });
    this.rules = {
      genesis: this.genesis,
      codec: {
        decodeIntent: (bytes) => this.intentOf(bytes),
        encodeVerdict: ({ offset, predecessor, outcome }) => {
          const bytes = Buffer.from(`${offset} ${predecessor.chain} ${outcome.kind}`, "latin1");
          return { bytes, chain: sha256(bytes) };
        },
      },
    };
  }

  recordAt(offset: Offset): IntentsRecord {
    const bytes = offset === 0 ? encodeGenesis(this.genesis) : this.#bytesAt(offset);
    return { offset, appendTime: offset, bytes, digest: sha256(bytes) };
  }

  intentOf(bytes: Uint8Array): Intent | { readonly kind: "genesis" } {
    if (bytes.length !== recordBytes) return { kind: "genesis" };
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return this.#intent(buffer.readDoubleLE(0), buffer.readUInt8(8) === 1);
  }

  /** Some records are one from before, once more. */
  #bytesAt(offset: Offset): Uint8Array {
    const lot = lotOf(offset, 100);
    const back = this.#back(offset);
    if (lot < 4 && back > 0) return bytesOf(back, false);
    if (lot < 6 && back > 0) return bytesOf(back, true);
    return bytesOf(offset, false);
  }

  #intent(origin: Offset, isOther: boolean): Intent {
    const { space } = this.genesis;
    const snapshot = Math.max(
      0,
      origin - 1 - (lotOf(origin, 7) === 0 ? lotOf(origin + 1, this.#window) : lotOf(origin, 4)),
    );
    const id = `intent ${origin}`;
    const common = { space, partition: 0, agent: isOther ? "other" : "agent", snapshot };
    const back = this.#back(origin);
    if (lotOf(origin + 2, 30) === 0) return { kind: "cancel", ...common, id: `intent ${back}` };
    return { kind: "submit", ...common, id, ...this.#parts(origin, back, snapshot) };
  }

  #parts(
    origin: Offset,
    back: Offset,
    snapshot: Offset,
  ): Omit<Submit, "kind" | "space" | "partition" | "agent" | "snapshot" | "id"> {
    const lot = lotOf(origin + 3, 20);
    const isolation: Isolation = lot === 0 ? "snapshot" : "serializable";
    const keys = [`k/${origin}`, ...(lot < 3 ? [`k/${back}`] : []), ...(lot === 3 ? [`h/${lotOf(origin, 500)}`] : [])];
    const from = `h/${lotOf(origin + 4, 400)}`;
    return {
      isolation,
      points: lot > 14 ? [{ key: toBytes(`a/k/${back}`), version: Math.min(back, snapshot) }] : [],
      ranges: lot === 4 ? [{ from: toBytes(`a/${from}`), to: toBytes(`a/${from}~`) }] : [],
      writes: keys.map((key) => ({ key: toBytes(`a/${key}`), value: null, blind: lot === 1 })),
      effects: [],
      holds: [],
      validFrom: null,
      validUntil: null,
      result: null,
    };
  }

  /** An offset before `offset`: mostly within a window of it, now and then just beyond, and often at its very edge. */
  #back(offset: Offset): Offset {
    const edge = lotOf(offset + 6, 4) === 0 ? this.#window - lotOf(offset + 7, 3) : undefined;
    return Math.max(0, offset - (edge ?? 1 + lotOf(offset + 5, Math.ceil(this.#window * 1.2))));
  }
}

const recordBytes = 9;

function bytesOf(origin: Offset, isOther: boolean): Uint8Array {
  const bytes = Buffer.alloc(recordBytes);
  bytes.writeDoubleLE(origin, 0);
  bytes.writeUInt8(isOther ? 1 : 0, 8);
  return bytes;
}

/** An even number below `limit` that `seed` determines. */
function lotOf(seed: number, limit: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b_3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) % limit;
}
