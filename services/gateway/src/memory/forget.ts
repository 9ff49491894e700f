import type { Item, Transaction } from "@seriatim/client";
import {
  arrivalKey,
  arrivalPrefix,
  arrivalsPrefix,
  entitiesPrefix,
  entityPrefix,
  observationKey,
  relationKey,
  type RelationName,
} from "./keys.ts";
import { isRelationRecord } from "./records.ts";

export interface ForgottenObservations {
  readonly entityName: string;
  readonly observations: readonly string[];
}

/** Each entity takes two ranges, of which an intent holds 100 unless set otherwise; above that all is read as two. */
const entitiesOneByOne = 40;

/** Deletes the entities that are there, with all that was observed of them and every relation of theirs. */
export async function deleteEntities(tx: Transaction, names: readonly string[]): Promise<void> {
  const wanted = [...new Set(names)];
  const prefixes = wanted.flatMap((name) => [entityPrefix(name), arrivalPrefix(name)]);
  if (wanted.length > entitiesOneByOne) {
    await Promise.all([entitiesPrefix, arrivalsPrefix].map((prefix) => tx.count({ prefix })));
  }
  for (const prefix of prefixes)
    for (const item of await tx.scan({ prefix })) {
      tx.delete(item.key);
      deleteOtherEnd(tx, item);
    }
}

function deleteOtherEnd(tx: Transaction, { value }: Item): void {
  if (!isRelationRecord(value)) return;
  tx.delete(relationKey(value));
  tx.delete(arrivalKey(value));
}

/** Deletes what is there of it. */
export async function deleteObservations(tx: Transaction, deletions: readonly ForgottenObservations[]): Promise<void> {
  const keys = deletions.flatMap(({ entityName, observations }) =>
    observations.map((content) => observationKey(entityName, content)),
  );
  await deleteThere(tx, keys);
}

/** Deletes what is there of it. */
export async function deleteRelations(tx: Transaction, relations: readonly RelationName[]): Promise<void> {
  const there = await tx.getMany(relations.map(relationKey));
  for (const relation of relations) {
    if (!there.has(relationKey(relation))) continue;
    tx.delete(relationKey(relation));
    tx.delete(arrivalKey(relation));
  }
}

async function deleteThere(tx: Transaction, keys: readonly string[]): Promise<void> {
  const there = await tx.getMany(keys);
  for (const key of there.keys()) tx.delete(key);
}
