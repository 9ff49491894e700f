import { assert, Failure } from "@seriatim/protocol";
import type { IHeaders, KafkaMessage } from "kafkajs";
import type { LogRecord, NewRecord } from "../port.ts";

/** A record, with what it weighs in a batch. */
export interface SizedRecord {
  readonly record: NewRecord;
  /** An upper bound, in bytes. */
  readonly bytes: number;
}

/** More than what a batch and its one record need around value and headers. */
const frameBytes = 128;
const headerFrameBytes = 10;

/** Most records have none. */
const noHeaders: Readonly<Record<string, string>> = {};

/** @throws Failure `invalid_argument` when the record alone exceeds `largest` bytes */
export function sized(record: NewRecord, topic: string, largest: number): SizedRecord {
  const { value, headers = noHeaders } = record;
  const bytes = frameBytes + value.byteLength + headerBytes(headers);
  if (bytes > largest) {
    throw new Failure(
      "invalid_argument",
      `A record of ${bytes} bytes exceeds the ${largest} bytes that topic ${topic} takes (max.message.bytes). ` +
        "Store large values elsewhere and refer to them.",
    );
  }
  return { record, bytes };
}

function headerBytes(headers: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const name in headers)
    bytes += Buffer.byteLength(name) + Buffer.byteLength(headers[name] ?? "") + headerFrameBytes;
  return bytes;
}

export function toRecord(message: KafkaMessage): LogRecord {
  return {
    offset: toOffset(message.offset),
    time: Number(message.timestamp),
    value: message.value ?? new Uint8Array(0),
    headers: toHeaders(message.headers),
  };
}

function toHeaders(headers: IHeaders | undefined): Readonly<Record<string, string>> {
  if (headers === undefined || isEmpty(headers)) return noHeaders;
  const texts: Record<string, string> = {};
  for (const [name, found] of Object.entries(headers)) {
    const last = Array.isArray(found) ? found.at(-1) : found;
    // Foreign writers may leave a header without a value.
    texts[name] = last === undefined || last === null ? "" : last.toString();
  }
  return texts;
}

function isEmpty(headers: IHeaders): boolean {
  for (const _ in headers) return false;
  return true;
}

/** Kafka counts with 64 bits; an offset that a number cannot hold would take 285 years at a million a second. */
export function toOffset(text: string): number {
  const offset = Number(text);
  assert(Number.isSafeInteger(offset), "an offset is beyond what a number holds");
  return offset;
}
