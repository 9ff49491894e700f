import type { Coordinator, Space } from "@seriatim/client";
import { isFailure } from "@seriatim/protocol";
import { identityOf, newSessionName, type Identity } from "../identity.ts";
import { Memory } from "../memory/memory.ts";
import { batchesOf, entityPieces, relationPiece, type Piece } from "./batches.ts";
import { linesOf } from "./lines.ts";

export interface ImportOptions {
  readonly coordinator: Coordinator;
  readonly space: Space;
  /** Who is said to have told it. */
  readonly agent: string;
  readonly file: Uint8Array;
  /** Called for each line, or part of one, that was left out. */
  readonly onSkipped: (line: number, why: string) => void;
  readonly signal: AbortSignal;
}

export interface Imported {
  readonly entities: number;
  readonly relations: number;
  readonly transactions: number;
  /** Lines of which something was left out. */
  readonly skipped: number;
}

/**
 * Adds a memory file's entities and relations to the memory. What is there already stays, and gets the observations that
 * it lacks, so that an import that was interrupted may be made again. In as many transactions as it takes, one after
 * another and in the file's order.
 * @throws Failure as `Coordinator.run` does, save for a line that breaks a limit: that is skipped.
 */
export async function importMemory(options: ImportOptions): Promise<Imported> {
  const { coordinator, space, agent, signal } = options;
  const importing = new Importing(
    new Memory(coordinator, space),
    identityOf(agent, undefined, newSessionName()),
    options,
  );
  for (const batch of batchesOf(importing.pieces(), space.genesis.limits)) {
    signal.throwIfAborted();
    await importing.add(batch);
  }
  return importing.result();
}

class Importing {
  readonly #memory: Memory;
  readonly #by: Identity;
  readonly #options: ImportOptions;
  readonly #skipped = new Set<number>();
  readonly #entities = new Set<number>();
  readonly #relations = new Set<number>();
  #transactions = 0;

  constructor(memory: Memory, by: Identity, options: ImportOptions) {
    this.#memory = memory;
    this.#by = by;
    this.#options = options;
  }

  *pieces(): Iterable<Piece> {
    for (const line of linesOf(this.#options.file)) {
      const { number } = line;
      if (line.kind === "entity") yield* entityPieces(number, line.entity, this.#memory.limits);
      else if (line.kind === "relation") yield relationPiece(number, line.relation);
      else this.#skip(number, line.fault);
    }
  }

  /** By halves, where something of it breaks a limit: only that is left out. */
  async add(batch: readonly Piece[]): Promise<void> {
    try {
      await this.#addAll(batch);
    } catch (error) {
      if (!isFailure(error, "invalid_argument")) throw error;
      const [only] = batch;
      if (batch.length === 1 && only !== undefined) {
        this.#skip(only.number, error.message);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await this.add(batch.slice(0, middle));
      await this.add(batch.slice(middle));
    }
  }

  result(): Imported {
    return {
      entities: this.#entities.size,
      relations: this.#relations.size,
      transactions: this.#transactions,
      skipped: this.#skipped.size,
    };
  }

  async #addAll(batch: readonly Piece[]): Promise<void> {
    const entities = batch.flatMap(({ entity }) => entity ?? []);
    const relations = batch.flatMap(({ relation }) => relation ?? []);
    await this.#memory.add(this.#by, entities, relations);
    this.#transactions += 1;
    for (const { number, entity } of batch) (entity === undefined ? this.#relations : this.#entities).add(number);
  }

  #skip(number: number, why: string): void {
    this.#skipped.add(number);
    this.#options.onSkipped(number, why);
  }
}
