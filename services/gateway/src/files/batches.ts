import type { Limits } from "@seriatim/protocol";
import type { RelationName } from "../memory/keys.ts";
import type { NewEntity } from "../memory/remember.ts";

/** One line's content, or a part of it where that is more than a transaction takes. */
export interface Piece {
  readonly number: number;
  readonly entity?: NewEntity;
  readonly relation?: RelationName;
  readonly writes: number;
  readonly bytes: number;
}

/** What a write takes in a record beside the text that it holds: its key, who wrote it, and the form. */
const overhead = 600;

/** An intent must also hold what it reads, and its verdict repeats what it writes. */
const share = 0.5;

function mostWrites({ writes, points }: Limits): number {
  return Math.max(1, Math.min(writes, points) - 1);
}

/** Puts pieces together, in their order, as many as a transaction takes. */
export function* batchesOf(pieces: Iterable<Piece>, limits: Limits): Iterable<Piece[]> {
  const bytesAllowed = limits.recordBytes * share;
  let batch: Piece[] = [];
  let [writes, bytes] = [0, 0];
  for (const piece of pieces) {
    const isFull = writes + piece.writes > mostWrites(limits) || bytes + piece.bytes > bytesAllowed;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      [writes, bytes] = [0, 0];
    }
    batch.push(piece);
    writes += piece.writes;
    bytes += piece.bytes;
  }
  if (batch.length > 0) yield batch;
}

export function relationPiece(number: number, relation: RelationName): Piece {
  const { from, to, relationType } = relation;
  return { number, relation, writes: 2, bytes: 2 * (overhead + 2 * sizeOf([from, to, relationType])) };
}

/** More than one where the entity has more observations than a transaction may write. */
export function* entityPieces(number: number, entity: NewEntity, limits: Limits): Iterable<Piece> {
  const { name, entityType } = entity;
  const base = overhead + 2 * sizeOf([name, entityType]);
  const groups = together(entity.observations);
  const size = groups.reduce((sum, copies) => sum + sizeOfObservation(copies), base);
  const [mostBytes, most] = [limits.recordBytes * share, mostWrites(limits)];
  if (groups.length < most && size <= mostBytes) {
    yield { number, entity, writes: 1 + groups.length, bytes: size };
    return;
  }
  let observations: string[] = [];
  let [writes, bytes] = [1, base];
  const piece = (): Piece => ({ number, entity: { name, entityType, observations }, writes, bytes });
  for (const copies of groups) {
    const more = sizeOfObservation(copies);
    if ((writes >= most || bytes + more > mostBytes) && observations.length > 0) {
      yield piece();
      observations = [];
      [writes, bytes] = [1, base];
    }
    observations.push(...copies);
    writes += 1;
    bytes += more;
  }
  yield piece();
}

/** Equal ones are one write: they must not come apart. */
function together(observations: readonly string[]): string[][] {
  const copies = new Map<string, string[]>();
  for (const each of observations) {
    const same = copies.get(each);
    if (same === undefined) copies.set(each, [each]);
    else same.push(each);
  }
  return [...copies.values()];
}

/** A text may grow as JSON. */
function sizeOfObservation([content = ""]: readonly string[]): number {
  return overhead + 2 * sizeOf([content]);
}

function sizeOf(texts: readonly string[]): number {
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes;
}
