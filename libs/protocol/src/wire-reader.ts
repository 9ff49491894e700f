import { isUtf8 } from "node:buffer";
import type { Bytes } from "./keys.ts";

/** Thrown where bytes are not what they are read as, and nowhere else. */
export class Malformed extends Error {}

const nonAscii = /[^\0-\x7f]/;

/** Not above what a double holds exactly. */
const longestScale = 2 ** 49;

/**
 * Reads Avro's binary form, as strictly as {@link WellFormed} does: text is UTF-8, an array is no longer than the bytes
 * that are left, and an integer is one that a double holds. What it reads out are views of the bytes, not copies.
 *
 * @throws Malformed, each method
 */
export class WireReader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#at = from;
  }

  /** To be called last: nothing may follow. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new Malformed();
  }

  long(): number {
    const byte = this.#byte();
    return byte < 0x80 ? (byte >>> 1) ^ -(byte & 1) : this.#longFrom(byte);
  }

  int(): number {
    const value = this.long();
    if (value !== (value | 0)) throw new Malformed();
    return value;
  }

  boolean(): boolean {
    const byte = this.#byte();
    if (byte > 1) throw new Malformed();
    return byte === 1;
  }

  /** The symbol of an enum. */
  symbol<T>(symbols: readonly T[]): T {
    const symbol = symbols[this.long()];
    if (symbol === undefined) throw new Malformed();
    return symbol;
  }

  fixed(length: number): Bytes {
    const from = this.#take(length);
    return this.#bytes.toString("latin1", from, this.#at) as Bytes;
  }

  bytes(): Uint8Array {
    const from = this.#take(this.long());
    return this.#bytes.subarray(from, this.#at);
  }

  /** Bytes that serve as a key, or as a bound of one. */
  key(): Bytes {
    return this.fixed(this.long());
  }

  text(): string {
    const latin = this.key();
    if (!nonAscii.test(latin)) return latin;
    const bytes = Buffer.from(latin, "latin1");
    if (isUtf8(bytes)) return bytes.toString("utf8");
    throw new Malformed();
  }

  optional<T>(read: (reader: this) => T): T | null {
    const branch = this.long();
    if (branch === 0) return null;
    if (branch === 1) return read(this);
    throw new Malformed();
  }

  array<T>(read: (reader: this) => T): T[] {
    const items: T[] = [];
    for (;;) {
      let count = this.long();
      if (count === 0) return items;
      if (count < 0) {
        count = -count;
        if (this.long() < 0) throw new Malformed();
      }
      if (count > this.#bytes.length - this.#at) throw new Malformed();
      for (; count > 0; count -= 1) items.push(read(this));
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Malformed();
    this.#at += 1;
    return byte;
  }

  /** A zigzag varint of several bytes. */
  #longFrom(first: number): number {
    let value = first & 0x7f;
    let scale = 0x80;
    for (let isLast = false; !isLast; scale *= 0x80) {
      const byte = this.#byte();
      if (scale > longestScale) throw new Malformed();
      value += (byte & 0x7f) * scale;
      isLast = byte < 0x80;
    }
    if (value > Number.MAX_SAFE_INTEGER) throw new Malformed();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  /** Steps over so many bytes; returns where they begin. */
  #take(length: number): number {
    const from = this.#at;
    if (!(length >= 0 && length <= this.#bytes.length - from)) throw new Malformed();
    this.#at = from + length;
    return from;
  }
}

/** What `read` finds after the record's header; undefined when it is malformed. */
export function readRecord<T>(bytes: Buffer, from: number, read: (reader: WireReader) => T): T | undefined {
  const reader = new WireReader(bytes, from);
  try {
    const record = read(reader);
    reader.end();
    return record;
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}
