import type { Digest, Hash, Intent, Offset, RecordCodec } from "@seriatim/protocol";
import type { IntentItem } from "../space/items.ts";

/** An intent of which the fields are known, and the bytes when they are asked for. */
export class LineIntent implements IntentItem {
  readonly kind = "intent";
  readonly partition: number;
  readonly offset: Offset;
  readonly time: number;
  readonly record: Intent;
  readonly #codec: RecordCodec;
  readonly #hash: Hash;
  #bytes: Uint8Array | undefined;
  #digest: Digest | undefined;

  constructor(offset: Offset, time: number, record: Intent, { codec, hash }: { codec: RecordCodec; hash: Hash }) {
    this.partition = record.partition;
    this.offset = offset;
    this.time = time;
    this.record = record;
    this.#codec = codec;
    this.#hash = hash;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= this.#codec.encodeIntent(this.record);
    return this.#bytes;
  }

  get digest(): Digest {
    this.#digest ??= this.#hash(this.bytes);
    return this.#digest;
  }
}
