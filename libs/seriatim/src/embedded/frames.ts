/*
 * What goes over the socket: frames of a length (four bytes, big-endian, without itself), a kind (one byte), a body.
 *
 *   hello    both ways, first: "srtm", the protocol's version (two bytes), which file of which space (16 + 8 bytes)
 *   append   to the holder: one intents record. Answered in the order of the appends of the connection
 *   watch    to the holder: one byte, whether to send news
 *   durable  to the follower: its next appends are durable, and decided. 17 bytes for each: its offset and log time
 *            (eight bytes each, doubles), and 1 where it committed as the first record to claim its id, 0 where it did
 *            not; an offset of -1 where it is for the follower to look up
 *   failed   to the follower: so many (four bytes) of its next appends failed, and how (JSON)
 *   news     to the follower: there are new verdicts
 */
import type { Appended } from "@seriatim/client";
import { Failure, failureCodes, isFailure, type FailureCode } from "@seriatim/protocol";

export const frameKinds = { hello: 1, append: 2, watch: 3, durable: 4, failed: 5, news: 6 } as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export const protocolVersion = 2;

/** The most that a frame may hold besides a record: a failure's message is clipped to fit. */
export const frameAllowance = 4096;

const prefixBytes = 4;
const appendedBytes = 17;
const kinds: readonly number[] = Object.values(frameKinds);

/** Which file of which space: a copy of a space's file is another one. */
export interface Identity {
  /** 16 bytes, as a latin1 string. */
  readonly space: string;
  readonly inode: bigint;
}

export function frame(kind: FrameKind, body: Uint8Array = Buffer.alloc(0)): Buffer {
  return frames(kind, [body]);
}

/** One frame for each of the bodies, to be written in one go. */
export function frames(kind: FrameKind, bodies: readonly Uint8Array[]): Buffer {
  const length = bodies.reduce((sum, body) => sum + prefixBytes + 1 + body.length, 0);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const body of bodies) {
    at = bytes.writeUInt32BE(1 + body.length, at);
    at = bytes.writeUInt8(kind, at);
    bytes.set(body, at);
    at += body.length;
  }
  return bytes;
}

export function helloFrame({ space, inode }: Identity, version: number = protocolVersion): Buffer {
  const body = Buffer.alloc(30);
  body.write("srtm", 0, "latin1");
  body.writeUInt16BE(version, 4);
  body.write(space, 6, "latin1");
  body.writeBigUInt64BE(BigInt.asUintN(64, inode), 22);
  return frame(frameKinds.hello, body);
}

/** Whether a hello is that of our version, space and file. */
export function isOurHello(body: Buffer, identity: Identity): boolean {
  return helloFrame(identity)
    .subarray(prefixBytes + 1)
    .equals(body);
}

export function durableFrame(appends: readonly (Appended | undefined)[]): Buffer {
  const body = Buffer.allocUnsafe(appends.length * appendedBytes);
  let at = 0;
  for (const appended of appends) {
    at = body.writeDoubleBE(appended?.offset ?? -1, at);
    at = body.writeDoubleBE(appended?.time ?? 0, at);
    at = body.writeUInt8(appended?.isCommitted === true ? 1 : 0, at);
  }
  return frame(frameKinds.durable, body);
}

/** What a `durable` frame says of each append; undefined when it is none. */
export function appendedOf(body: Buffer): (Appended | undefined)[] | undefined {
  if (body.length % appendedBytes !== 0) return undefined;
  return Array.from({ length: body.length / appendedBytes }, (_, index) => {
    const at = index * appendedBytes;
    const offset = body.readDoubleBE(at);
    return offset < 0 ? undefined : { offset, time: body.readDoubleBE(at + 8), isCommitted: body[at + 16] === 1 };
  });
}

export function failedFrame(count: number, { code, canRetry, message }: Failure): Buffer {
  const text = JSON.stringify({ code, canRetry, message: message.slice(0, 1000) });
  return frame(frameKinds.failed, Buffer.concat([countBytes(count), Buffer.from(text)]));
}

/** The count of a `failed` frame; undefined when it has none. */
export function countOf(body: Buffer): number | undefined {
  return body.length < 4 ? undefined : body.readUInt32BE(0);
}

/** The failure of a `failed` frame; undefined when it holds none. */
export function failureOf(body: Buffer): Failure | undefined {
  try {
    const { code, canRetry, message }: Record<string, unknown> = JSON.parse(body.toString("utf8", 4));
    const isCode = failureCodes.includes(code as FailureCode);
    if (!isCode || typeof message !== "string" || typeof canRetry !== "boolean") return undefined;
    return new Failure(code as FailureCode, message, { canRetry });
  } catch {
    return undefined;
  }
}

/** Whether the failure is the transaction's, and so everybody's, and not that of the holder's own handle on the file. */
export function concernsAll(error: unknown): error is Failure {
  return isFailure(error, "unavailable", "unknown_outcome");
}

function countBytes(count: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count, 0);
  return bytes;
}

const none = Buffer.alloc(0);

/** Cuts a stream into frames. */
export class FrameReader {
  readonly #mostBytes: number;
  #rest: Buffer = none;

  /** @param mostBytes of a body. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Hands each whole frame to `take`, until that returns false; returns false then, and for what is no frame. */
  push(chunk: Buffer, take: (kind: FrameKind, body: Buffer) => boolean): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= prefixBytes) {
      const length = bytes.readUInt32BE(at);
      if (length < 1 || length > this.#mostBytes + 1) return false;
      const body = at + prefixBytes + 1;
      const kind = bytes[body - 1];
      if (kind !== undefined && !kinds.includes(kind)) return false;
      if (bytes.length < body + length - 1) break;
      at = body + length - 1;
      if (!take(kind as FrameKind, bytes.subarray(body, at))) return false;
    }
    this.#rest = at === bytes.length ? none : bytes.subarray(at);
    return true;
  }
}
