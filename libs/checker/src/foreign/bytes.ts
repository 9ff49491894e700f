import type { Buffer } from "node:buffer";
import { malformed } from "./malformed.ts";

/** Reads numbers off a file, and says where it ends too early. */
export class ByteReader {
  readonly #bytes: Buffer;
  readonly #file: string;
  at = 0;

  constructor(bytes: Buffer, file: string) {
    this.#bytes = bytes;
    this.#file = file;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    return this.#take(1).readUInt8();
  }

  littleEndian(): bigint {
    return this.#take(8).readBigUInt64LE();
  }

  bigEndian(): bigint {
    return this.#take(8).readBigInt64BE();
  }

  /** A length, which what is left of the file must be able to hold. */
  count(): number {
    const at = this.at;
    const count = this.littleEndian();
    if (count > BigInt(this.#bytes.length - this.at)) {
      this.at = at;
      throw this.wrong(`a length of ${count} reaches beyond the end of the file`);
    }
    return Number(count);
  }

  skip(count: number): void {
    this.#take(count);
  }

  flag(): boolean {
    const at = this.at;
    const byte = this.byte();
    if (byte > 1) {
      this.at = at;
      throw this.wrong(`expected 0 or 1, found ${byte}`);
    }
    return byte === 1;
  }

  wrong(what: string): Error {
    return malformed({ file: this.#file, offset: this.at }, what);
  }

  #take(count: number): Buffer {
    if (this.at + count > this.#bytes.length) throw this.wrong("the file ends in the middle of a record");
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }
}
