import { open, type FileHandle } from "node:fs/promises";

/** Lines that stand together in a file. */
export interface LineBatch {
  readonly lines: readonly string[];
  /** Whether none of them holds a control character, which no string of JSON does. */
  readonly isClean: boolean;
  /** Where the lines stand in the file, in bytes. */
  readonly from: number;
  readonly to: number;
}

/** A part of a file, in bytes. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const chunkBytes = 64 * 1024;
const newline = 0x0a;

/** All lines of a file, or those of one stretch of it, in batches of about a megabyte. The next is read meanwhile. */
export async function* lineBatches(path: string, stretch?: Stretch): AsyncGenerator<LineBatch, void> {
  const file = await open(path);
  try {
    const { from = 0, to = Infinity } = stretch ?? {};
    let rest: Buffer = Buffer.alloc(0);
    let begin = from;
    let at = from;
    let reading = readChunk(file, at, to);
    for (let chunk = await reading; chunk.length > 0; chunk = await reading) {
      at += chunk.length;
      reading = readChunk(file, at, to);
      // Awaited at the loop's end, or never when the caller has had enough.
      reading.catch(() => undefined);
      const end = chunk.lastIndexOf(newline) + 1;
      if (end === 0) {
        rest = Buffer.concat([rest, chunk]);
        continue;
      }
      const whole = Buffer.concat([rest, chunk.subarray(0, end)]);
      rest = chunk.subarray(end);
      yield batchOf(whole, begin);
      begin += whole.length;
    }
    if (rest.length > 0) yield batchOf(rest, begin);
  } finally {
    await file.close();
  }
}

async function readChunk(file: FileHandle, position: number, to: number): Promise<Buffer> {
  const length = Math.min(chunkBytes, to - position);
  if (length <= 0) return Buffer.alloc(0);
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

function batchOf(bytes: Buffer, from: number): LineBatch {
  const text = bytes.toString("utf8");
  const lines = text.split("\n").filter((line) => line !== "");
  return { lines, isClean: !control.test(text), from, to: from + bytes.length };
}

// oxlint-disable-next-line no-control-regex
const control = /[\0-\x09\x0b-\x1f]/;

/** What a line holds; undefined when it is not JSON. */
export function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
