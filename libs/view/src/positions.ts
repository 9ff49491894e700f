import type { Statement } from "better-sqlite3";
import type { SqliteFile } from "@seriatim/log";
import { beforeGenesis, bufferOf, bytesOf, type Digest, type Offset } from "@seriatim/protocol";
import { Query } from "./query.ts";
import type { ViewPosition } from "./types.ts";

/** A position as stored, with the number of writes folded in its partition. */
export interface StoredPosition extends ViewPosition {
  readonly writes: number;
}

type Row = readonly [
  offset: number,
  chain: Buffer,
  digest: Buffer,
  time: number,
  next: number,
  seen: number,
  skipped: number,
  writes: number,
];

const start: StoredPosition = {
  ...beforeGenesis,
  digest: "\0".repeat(32) as Digest,
  time: 0,
  next: 0,
  seen: beforeGenesis.offset,
  skipped: 0,
  writes: 0,
};

export class Positions {
  readonly #read: Query<[number], Row>;
  readonly #readOffset: Query<[number], Offset>;
  readonly #store: Statement<[number, number, Buffer, Buffer, number, number, number, number, number]>;

  constructor(file: SqliteFile) {
    this.#read = Query.ofArrays(
      file,
      "SELECT offset, chain, digest, time, next, seen, skipped, writes FROM view_positions WHERE partition = ?",
    );
    this.#readOffset = Query.ofValues(file, "SELECT offset FROM view_positions WHERE partition = ?");
    this.#store = file.database.prepare(
      `INSERT OR REPLACE INTO view_positions (partition, offset, chain, digest, time, next, seen, skipped, writes)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
  }

  get(partition: number): ViewPosition {
    const { writes: _, ...position } = this.stored(partition);
    return position;
  }

  /** The offset of `get` alone, which is asked for often. */
  offset(partition: number): Offset {
    return this.#readOffset.get(partition) ?? start.offset;
  }

  stored(partition: number): StoredPosition {
    const row = this.#read.get(partition);
    if (row === undefined) return start;
    const [offset, chain, digest, time, next, seen, skipped, writes] = row;
    return { offset, chain: bytesOf(chain), digest: bytesOf(digest), time, next, seen, skipped, writes };
  }

  store(partition: number, position: StoredPosition): void {
    const { offset, chain, digest, time, next, seen, skipped, writes } = position;
    this.#store.run(partition, offset, bufferOf(chain), bufferOf(digest), time, next, seen, skipped, writes);
  }
}
