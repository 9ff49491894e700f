import { assert } from "./failure.ts";
import type { Bytes } from "./keys.ts";

const nonAscii = /[^\0-\x7f]/;

/** A varint is no longer than this, nor is what stands before a length. */
const numberBytes = 10;

/** As long as one of its copies is kept, so is a slab. */
const slabBytes = 64 * 1024;

/** Writes Avro's binary form, one record at a time, into a buffer that grows to the longest. */
export class WireWriter {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024);
  #at = 0;
  #slab = Buffer.allocUnsafeSlow(0);
  #used = 0;

  /** Begins a record. */
  begin(header: Uint8Array): void {
    this.#at = 0;
    this.#reserve(header.length);
    this.#bytes.set(header, 0);
    this.#at = header.length;
  }

  /** What was written since `begin`, until more is. */
  get written(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** A copy of what was written since `begin`: a part of a slab that many share, since each buffer of its own costs. */
  copy(): Buffer {
    const length = this.#at;
    if (this.#slab.length - this.#used < length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, length));
      this.#used = 0;
    }
    const copy = this.#slab.subarray(this.#used, this.#used + length);
    this.#bytes.copy(copy, 0, 0, length);
    this.#used += length;
    return copy;
  }

  long(value: number): void {
    assert(Number.isSafeInteger(value), "a number on the wire is a whole one that a double holds");
    this.#reserve(numberBytes);
    if (value >= 0 && value < 0x40) {
      this.#bytes[this.#at++] = value * 2;
      return;
    }
    let rest = value >= 0 ? value * 2 : -value * 2 - 1;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[this.#at++] = (rest % 0x80) | 0x80;
    this.#bytes[this.#at++] = rest;
  }

  /** Without a length. */
  fixed(bytes: Bytes): void {
    this.#latin1(bytes);
  }

  bytes(bytes: Uint8Array): void {
    this.long(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  key(key: Bytes): void {
    this.long(key.length);
    this.#latin1(key);
  }

  text(text: string): void {
    if (!nonAscii.test(text)) {
      this.long(text.length);
      this.#latin1(text);
      return;
    }
    const length = Buffer.byteLength(text, "utf8");
    this.long(length);
    this.#reserve(length);
    this.#at += this.#bytes.write(text, this.#at, "utf8");
  }

  optional<T>(value: T | null, write: (writer: this, value: T) => void): void {
    this.long(value === null ? 0 : 1);
    if (value !== null) write(this, value);
  }

  array<T>(items: readonly T[], write: (writer: this, item: T) => void): void {
    if (items.length > 0) this.long(items.length);
    for (const item of items) write(this, item);
    this.long(0);
  }

  #latin1(text: string): void {
    this.#reserve(text.length);
    this.#at += this.#bytes.write(text, this.#at, "latin1");
  }

  #reserve(length: number): void {
    const needed = this.#at + length;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(2 * needed);
    this.#bytes.copy(grown, 0, 0, this.#at);
    this.#bytes = grown;
  }
}
