import { assert } from "@seriatim/protocol";

/** Reads numbers and bytes as Kafka's protocol has them. @throws RangeError where there are not as many bytes. */
export class AnswerCursor {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  int8(): number {
    return this.#bytes.readInt8(this.#step(1));
  }

  int16(): number {
    return this.#bytes.readInt16BE(this.#step(2));
  }

  int32(): number {
    return this.#bytes.readInt32BE(this.#step(4));
  }

  /** Kafka counts with 64 bits; an offset that a number cannot hold would take 285 years at a million a second. */
  int64(): number {
    const from = this.#step(8);
    const value = this.#bytes.readInt32BE(from) * 2 ** 32 + this.#bytes.readUInt32BE(from + 4);
    assert(Number.isSafeInteger(value), "an offset or a time is beyond what a number holds");
    return value;
  }

  /** Zigzag, of up to 64 bits. */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new RangeError("a record is cut off");
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 0x80;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Undefined where there are none, which is not the same as no bytes. */
  bytes(): Buffer | undefined {
    const length = this.varint();
    if (length < 0) return undefined;
    const from = this.#step(length);
    return this.#bytes.subarray(from, this.at);
  }

  /** Empty where there is none. */
  text(): string {
    const length = this.varint();
    if (length <= 0) return "";
    const from = this.#step(length);
    return this.#bytes.toString("utf8", from, this.at);
  }

  #step(bytes: number): number {
    const from = this.at;
    this.at += bytes;
    if (this.at > this.#bytes.length) throw new RangeError("an answer is cut off");
    return from;
  }
}
