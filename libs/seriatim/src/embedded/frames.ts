/*
 * What goes over the socket: frames of a length (four bytes, big-endian, without itself), a kind (one byte), a body.
 *
 *   hello    both ways, first: "srtm", the protocol's version (two bytes), which file of which space (16 + 8 bytes)
 *   append   to the holder: one intents record. Answered in the order of the appends of the connection
 *   watch    to the holder: one byte, whether to send news
 *   durable  to the follower: so many (four bytes) of its next appends are durable, and decided
 *   failed   to the follower: so many (four bytes) of its next appends failed, and how (JSON)
 *   news     to the follower: there are new verdicts
 */
import { Failure, failureCodes, isFailure, type FailureCode } from "@seriatim/protocol";

export const frameKinds = { hello: 1, append: 2, watch: 3, durable: 4, failed: 5, news: 6 } as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export const protocolVersion = 1;

/** The most that a frame may hold besides a record: a failure's message is clipped to fit. */
export const frameAllowance = 4096;

const prefixBytes = 4;
const kinds: readonly number[] = Object.values(frameKinds);

/** Which file of which space: a copy of a space's file is another one. */
export interface Identity {
  /** 16 bytes, as a latin1 string. */
  readonly space: string;
  readonly inode: bigint;
}

export function frame(kind: FrameKind, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const bytes = Buffer.allocUnsafe(prefixBytes + 1 + body.length);
  bytes.writeUInt32BE(1 + body.length, 0);
  bytes[prefixBytes] = kind;
  bytes.set(body, prefixBytes + 1);
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

export function durableFrame(count: number): Buffer {
  return frame(frameKinds.durable, countBytes(count));
}

export function failedFrame(count: number, { code, canRetry, message }: Failure): Buffer {
  const text = JSON.stringify({ code, canRetry, message: message.slice(0, 1000) });
  return frame(frameKinds.failed, Buffer.concat([countBytes(count), Buffer.from(text)]));
}

/** The count of a `durable` or `failed` frame; undefined when it has none. */
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

/** Cuts a stream into frames. */
export class FrameReader {
  readonly #mostBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  /** @param mostBytes of a body. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Hands each whole frame to `take`, until that returns false; returns false then, and for what is no frame. */
  push(chunk: Buffer, take: (kind: FrameKind, body: Buffer) => boolean): boolean {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    while (rest.length >= prefixBytes) {
      const length = rest.readUInt32BE(0);
      if (length < 1 || length > this.#mostBytes + 1) return false;
      const end = prefixBytes + length;
      const kind = rest[prefixBytes];
      if (kind !== undefined && !kinds.includes(kind)) return false;
      if (rest.length < end) break;
      if (!take(kind as FrameKind, rest.subarray(prefixBytes + 1, end))) return false;
      rest = rest.subarray(end);
    }
    this.#rest = rest;
    return true;
  }
}
