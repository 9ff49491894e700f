import type { NewRecord } from "../port.ts";
import { crc32c } from "./crc32c.ts";

/** Up to and including the length, which counts what comes after it. */
const lengthEnd = 12;
/** From leader epoch to checksum, and from attributes to the count of records. */
const beforeAttributes = 9;
const headBytes = lengthEnd + beforeAttributes + 40;
const magic = 2;

/**
 * One batch of records as Kafka stores it: version 2, uncompressed, outside of any transaction, all of them of the time
 * `now` (a log with times of its own replaces it). The same bytes as kafkajs sends, in a sixth of the time: it makes
 * several buffers of each record.
 *
 * @param most an upper bound of the batch's size, in bytes
 */
export function encodeBatch(records: readonly NewRecord[], now: number, most: number): Buffer {
  const batch = Buffer.allocUnsafeSlow(headBytes + most);
  const writer = new Cursor(batch, headBytes);
  for (const [index, record] of records.entries()) writeRecord(writer, index, record);
  writeHead(batch, records.length, now, writer.at);
  return batch.subarray(0, writer.at);
}

function writeHead(batch: Buffer, records: number, now: number, end: number): void {
  const attributes = lengthEnd + beforeAttributes;
  batch.fill(0, 0, headBytes);
  batch.writeInt32BE(end - lengthEnd, lengthEnd - 4);
  batch.writeInt8(magic, lengthEnd + 4);
  batch.writeInt32BE(records - 1, attributes + 2);
  const time = BigInt(now);
  batch.writeBigInt64BE(time, attributes + 6);
  batch.writeBigInt64BE(time, attributes + 14);
  // No producer id: sends are repeated without one, and readers drop what comes twice.
  batch.writeBigInt64BE(-1n, attributes + 22);
  batch.writeInt32BE(records, attributes + 36);
  batch.writeUInt32BE(crc32c(batch, attributes, end), attributes - 4);
}

/** Attributes and the difference of times are a zero byte each, and the key is missing. */
function writeRecord(writer: Cursor, index: number, { value, headers = {} }: NewRecord): void {
  const names = Object.keys(headers);
  let length = 3 + sizeOf(index) + sizeOf(value.length) + value.length + sizeOf(names.length);
  for (const name of names) length += textSize(name) + textSize(headers[name] ?? "");
  writer.varint(length);
  writer.varint(0);
  writer.varint(0);
  writer.varint(index);
  writer.varint(-1);
  writer.bytes(value);
  writer.varint(names.length);
  for (const name of names) {
    writer.text(name);
    writer.text(headers[name] ?? "");
  }
}

function textSize(text: string): number {
  const bytes = Buffer.byteLength(text);
  return sizeOf(bytes) + bytes;
}

/** Of a zigzag varint that is not negative. */
function sizeOf(value: number): number {
  let bytes = 1;
  for (let rest = value * 2; rest >= 0x80; rest /= 0x80) bytes += 1;
  return bytes;
}

class Cursor {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Zigzag; of less than 2^30. */
  varint(value: number): void {
    let rest = value < 0 ? -value * 2 - 1 : value * 2;
    for (; rest >= 0x80; rest >>>= 7) this.#bytes[this.at++] = (rest & 0x7f) | 0x80;
    this.#bytes[this.at++] = rest;
  }

  bytes(bytes: Uint8Array): void {
    this.varint(bytes.length);
    this.#bytes.set(bytes, this.at);
    this.at += bytes.length;
  }

  text(text: string): void {
    this.varint(Buffer.byteLength(text));
    this.at += this.#bytes.write(text, this.at);
  }
}
