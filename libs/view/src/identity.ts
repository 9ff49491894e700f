import type { Statement } from "better-sqlite3";
import type { SqliteFile } from "@seriatim/log";
import {
  assert,
  bufferOf,
  bytesOf,
  decodeGenesis,
  Failure,
  isFailure,
  spaceName,
  type Bytes,
} from "@seriatim/protocol";
import { Query } from "./query.ts";

/** Which space the view is folded from. */
export class Identity {
  readonly #file: SqliteFile;
  readonly #read: Query<[string], Buffer>;
  readonly #store: Statement<[string, Uint8Array]>;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#read = Query.ofValues(file, "SELECT value FROM view_meta WHERE name = ?");
    this.#store = file.database.prepare("INSERT INTO view_meta (name, value) VALUES (?, ?)");
  }

  genesis(): Uint8Array | undefined {
    return this.#read.get("genesis");
  }

  /** The identity that verdicts carry; undefined until the genesis verdict was applied. */
  space(): Bytes | undefined {
    const space = this.#read.get("space");
    return space === undefined ? undefined : bytesOf(space);
  }

  bind(genesis: Uint8Array): void {
    assert(this.#file.database.inTransaction, "a view was bound outside of a transaction");
    const bound = this.genesis();
    if (bound === undefined) this.#store.run("genesis", genesis);
    else if (Buffer.compare(bound, genesis) !== 0) throw this.#otherSpace(bound, genesis);
  }

  /** Whether the genesis verdict is one of the space; binds the view where it is not bound. */
  admits(space: Bytes, genesis: Uint8Array): boolean {
    if (spaceOf(genesis) !== space) return false;
    const bound = this.genesis();
    if (bound !== undefined && Buffer.compare(bound, genesis) !== 0) return false;
    if (bound === undefined) this.#store.run("genesis", genesis);
    if (this.space() === undefined) this.#store.run("space", bufferOf(space));
    return this.space() === space;
  }

  #otherSpace(bound: Uint8Array, asked: Uint8Array): Failure {
    const remedy = "open the file that belongs to it, or, if the file holds nothing but a view, delete it";
    return new Failure(
      "other_space",
      `${this.#file.path} holds the view of space ${nameOf(bound)}, not of ${nameOf(asked)}: ${remedy}`,
    );
  }
}

/** Undefined where this version of Seriatim cannot read the genesis. */
function spaceOf(genesis: Uint8Array): Bytes | undefined {
  try {
    return decodeGenesis(genesis).space;
  } catch (error) {
    if (!isFailure(error)) throw error;
    return undefined;
  }
}

function nameOf(genesis: Uint8Array): string {
  const space = spaceOf(genesis);
  if (space !== undefined) return spaceName(space);
  return `with a genesis of ${genesis.byteLength} bytes that this version of Seriatim cannot read`;
}
