import type { Coordinator, Entry, Refusal, Space, Transaction } from "@seriatim/client";
import { Failure, partitionOf, toBytes, type Limits, type Version } from "@seriatim/protocol";
import type { Identity } from "../identity.ts";
import { deleteEntities, deleteObservations, deleteRelations, type ForgottenObservations } from "./forget.ts";
import { graphOf } from "./graph.ts";
import { arrivalPrefix, entitiesPrefix, entityPrefix, partitionKey, type RelationName } from "./keys.ts";
import type { Graph } from "./records.ts";
import { Remembering, type AddedObservations, type NewEntity, type NewObservations } from "./remember.ts";

/** A call that took effect, at `version`. */
export interface Done<T> {
  readonly value: T;
  readonly version: Version;
}

/** What stood at `version`. */
export interface Found {
  readonly graph: Graph;
  readonly version: Version;
}

/** Somebody else was faster, as often as it was tried. */
export class RefusedCall extends Error {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.name = "RefusedCall";
    this.refusal = refusal;
  }
}

/** A model cannot do better than to call again: so this is done here, long enough for any crowd. */
const attempts = 100;

/** Above so many names the whole graph is read in place of each. */
const namesOneByOne = 50;

/** The knowledge graph: each call that changes it is one transaction at level serializable, tried until it commits. */
export class Memory {
  readonly #coordinator: Coordinator;
  readonly #space: Space;

  constructor(coordinator: Coordinator, space: Space) {
    this.#coordinator = coordinator;
    this.#space = space;
  }

  createEntities(by: Identity, entities: readonly NewEntity[], signal?: AbortSignal): Promise<Done<NewEntity[]>> {
    return this.#run(by, signal, (tx) => new Remembering(tx, by).createEntities(entities));
  }

  createRelations<T extends RelationName>(
    by: Identity,
    relations: readonly T[],
    signal?: AbortSignal,
  ): Promise<Done<T[]>> {
    return this.#run(by, signal, (tx) => new Remembering(tx, by).createRelations(relations));
  }

  /** @throws UnknownEntity; nothing was written. */
  addObservations(
    by: Identity,
    observations: readonly NewObservations[],
    signal?: AbortSignal,
  ): Promise<Done<AddedObservations[]>> {
    return this.#run(by, signal, (tx) => new Remembering(tx, by).addObservations(observations));
  }

  deleteEntities(by: Identity, names: readonly string[], signal?: AbortSignal): Promise<Done<void>> {
    return this.#run(by, signal, (tx) => deleteEntities(tx, names));
  }

  deleteObservations(
    by: Identity,
    deletions: readonly ForgottenObservations[],
    signal?: AbortSignal,
  ): Promise<Done<void>> {
    return this.#run(by, signal, (tx) => deleteObservations(tx, deletions));
  }

  deleteRelations(by: Identity, relations: readonly RelationName[], signal?: AbortSignal): Promise<Done<void>> {
    return this.#run(by, signal, (tx) => deleteRelations(tx, relations));
  }

  /** Adds what is not there, and leaves what is. */
  add(by: Identity, entities: readonly NewEntity[], relations: readonly RelationName[]): Promise<Done<void>> {
    return this.#run(by, undefined, async (tx) => {
      const remembering = new Remembering(tx, by);
      for (const entity of entities) await remembering.addEntity(entity);
      await remembering.createRelations(relations);
    });
  }

  /** Of the space that it is in. */
  get limits(): Limits {
    return this.#space.genesis.limits;
  }

  async whole(asOf?: Version | Date): Promise<Found> {
    const version = this.#snapshot(asOf);
    return { graph: graphOf(await this.#scan([entitiesPrefix], version)), version };
  }

  /** All that belongs to entities of these names, and may hold more. */
  async about(names: readonly string[], asOf?: Version | Date): Promise<Found> {
    const wanted = new Set(names);
    if (wanted.size > namesOneByOne) return this.whole(asOf);
    const version = this.#snapshot(asOf);
    const prefixes = [...wanted].flatMap((name) => [entityPrefix(name), arrivalPrefix(name)]);
    return { graph: graphOf(await this.#scan(prefixes, version)), version };
  }

  /** Runs `work` as a transaction of the memory. @throws RefusedCall; what the coordinator's `run` does. */
  async #run<T>(
    { actor: agent }: Identity,
    signal: AbortSignal | undefined,
    work: (tx: Transaction) => Promise<T>,
  ): Promise<Done<T>> {
    // Not the function's result, which an intent would carry.
    let last: { readonly value: T } | undefined;
    const result = await this.#coordinator.run({ agent, partitionKey, attempts, signal }, async (tx) => {
      last = { value: await work(tx) };
    });
    if (result.outcome === "refused") throw new RefusedCall(result.refusal);
    if (last === undefined) throw new Failure("unknown_outcome", "the transaction committed without having run");
    return { value: last.value, version: result.version ?? this.#snapshot() };
  }

  async #scan(prefixes: readonly string[], asOf: Version): Promise<Entry[]> {
    const pages = await Promise.all(prefixes.map((prefix) => this.#coordinator.scan({ prefix }, { asOf })));
    return pages.flat();
  }

  /** One state for all that a call reads. */
  #snapshot(asOf?: Version | Date): Version {
    const positions = this.#coordinator.positions();
    const partition = partitionOf(toBytes(partitionKey), positions.length);
    if (asOf instanceof Date) return { partition, offset: this.#space.view.offsetAt(partition, asOf.getTime()) };
    const newest = { partition, offset: positions[partition]?.offset ?? -1 };
    if (asOf === undefined) return newest;
    if (asOf.partition === partition) return asOf;
    throw new Failure(
      "invalid_argument",
      `asOf is a version of partition ${asOf.partition}; the memory is in partition ${partition}`,
    );
  }
}
