import type { Transaction } from "@seriatim/client";
import { arrivalKey, entityKey, observationKey, relationKey, type RelationName } from "./keys.ts";
import type { Author, EntityRecord, ObservationRecord, RelationRecord } from "./records.ts";

export interface NewEntity {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly string[];
}

export interface NewObservations {
  readonly entityName: string;
  readonly contents: readonly string[];
}

export interface AddedObservations {
  readonly entityName: string;
  readonly addedObservations: string[];
}

/** What one call adds, in the order in which it was given. */
export class Remembering {
  readonly #tx: Transaction;
  readonly #author: Author;
  /** How many places of the call have been given out. */
  #places = 0;

  constructor(tx: Transaction, { agent, session }: Author) {
    this.#tx = tx;
    this.#author = { agent, session };
  }

  /** Returns those whose name was not taken. */
  async createEntities(entities: readonly NewEntity[]): Promise<NewEntity[]> {
    const created: NewEntity[] = [];
    for (const entity of entities) {
      const { name, entityType, observations } = entity;
      const key = entityKey(name);
      if ((await this.#tx.get(key)) !== undefined) continue;
      const record: EntityRecord = { name, entityType, at: this.#place(), ...this.#author };
      this.#tx.put(key, record);
      this.#observe(name, observations);
      created.push(entity);
    }
    return created;
  }

  /** Makes the entity where there is none of its name, and adds the observations that it does not have. */
  async addEntity({ name, entityType, observations }: NewEntity): Promise<void> {
    const key = entityKey(name);
    if ((await this.#tx.get(key)) === undefined) {
      const record: EntityRecord = { name, entityType, at: this.#place(), ...this.#author };
      this.#tx.put(key, record);
    }
    await this.addObservations([{ entityName: name, contents: observations }]);
  }

  /** Returns those that were not there. */
  async createRelations<T extends RelationName>(relations: readonly T[]): Promise<T[]> {
    const created: T[] = [];
    for (const relation of relations) {
      const key = relationKey(relation);
      if ((await this.#tx.get(key)) !== undefined) continue;
      const { from, to, relationType } = relation;
      const record: RelationRecord = { from, to, relationType, at: this.#place(), ...this.#author };
      this.#tx.put(key, record);
      this.#tx.put(arrivalKey(relation), record);
      created.push(relation);
    }
    return created;
  }

  /** Returns what each entity did not have yet. @throws UnknownEntity. */
  async addObservations(all: readonly NewObservations[]): Promise<AddedObservations[]> {
    const results: AddedObservations[] = [];
    for (const { entityName, contents } of all) {
      if ((await this.#tx.get(entityKey(entityName))) === undefined) throw new UnknownEntity(entityName);
      const known = await this.#tx.getMany(contents.map((content) => observationKey(entityName, content)));
      const added = contents.filter((content) => !known.has(observationKey(entityName, content)));
      this.#observe(entityName, added);
      results.push({ entityName, addedObservations: added });
    }
    return results;
  }

  /** The same text more than once is one key, which no two calls can both make. */
  #observe(entityName: string, contents: readonly string[]): void {
    const places = new Map<string, number[]>();
    for (const content of contents) {
      const at = places.get(content) ?? [];
      at.push(this.#place());
      places.set(content, at);
    }
    for (const [content, at] of places) {
      const record: ObservationRecord = { content, at, ...this.#author };
      this.#tx.put(observationKey(entityName, content), record);
    }
  }

  #place(): number {
    this.#places += 1;
    return this.#places;
  }
}

/** Nothing of the call was written. */
export class UnknownEntity extends Error {
  constructor(name: string) {
    super(`Entity with name ${name} not found`);
    this.name = "UnknownEntity";
  }
}
