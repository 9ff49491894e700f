import type { Entry } from "@seriatim/client";
import type { Version } from "@seriatim/protocol";
import { entitySegmentOf, relationKey } from "./keys.ts";
import {
  isEntityRecord,
  isObservationRecord,
  isRelationRecord,
  type Entity,
  type EntityRecord,
  type Graph,
  type Observation,
  type Origin,
  type Relation,
  type RelationRecord,
} from "./records.ts";

/** Something with its place in the order in which the memory was told. */
interface Placed<T> {
  readonly item: T;
  readonly version: Version;
  readonly at: number;
}

interface Part {
  entity: Placed<EntityRecord> | undefined;
  readonly observations: Placed<Observation>[];
}

/** Puts a graph together from entries of the memory, in any order and with repeats. */
export function graphOf(entries: Iterable<Entry>): Graph {
  const parts = new Map<string, Part>();
  const relations = new Map<string, Placed<Relation>>();
  for (const { key, value, version } of entries) {
    if (isRelationRecord(value)) relations.set(relationKey(value), placedRelation(value, version));
    else addTo(parts, key, value, version);
  }
  const entities: Placed<Entity>[] = [];
  for (const { entity, observations } of parts.values()) {
    if (entity === undefined) continue;
    const { name, entityType } = entity.item;
    const item = { name, entityType, observations: inOrder(observations), ...originOf(entity.item, entity.version) };
    entities.push({ ...entity, item });
  }
  return { entities: inOrder(entities), relations: inOrder([...relations.values()]) };
}

function addTo(parts: Map<string, Part>, key: string, value: unknown, version: Version): void {
  const name = entitySegmentOf(key);
  const part = parts.get(name) ?? { entity: undefined, observations: [] };
  parts.set(name, part);
  if (isEntityRecord(value)) part.entity = { item: value, version, at: value.at };
  if (!isObservationRecord(value)) return;
  const item = { content: value.content, ...originOf(value, version) };
  for (const at of value.at) part.observations.push({ item, version, at });
}

function placedRelation(record: RelationRecord, version: Version): Placed<Relation> {
  const { from, to, relationType, at } = record;
  return { item: { from, to, relationType, ...originOf(record, version) }, version, at };
}

function originOf({ agent, session }: Omit<Origin, "version">, version: Version): Origin {
  return { agent, session, version };
}

function inOrder<T>(placed: readonly Placed<T>[]): T[] {
  return placed.toSorted((a, b) => a.version.offset - b.version.offset || a.at - b.at).map(({ item }) => item);
}

/** What one agent has told; an entity of others with what it has observed of that. All of it where none is named. */
export function toldBy(graph: Graph, agent: string | undefined): Graph {
  if (agent === undefined) return graph;
  const isTheirs = (origin: Origin): boolean => agent === origin.agent || agent === `${origin.agent}:${origin.session}`;
  const entities = graph.entities.map((entity) => ({
    ...entity,
    observations: entity.observations.filter(isTheirs),
  }));
  return {
    entities: entities.filter((entity) => isTheirs(entity) || entity.observations.length > 0),
    relations: graph.relations.filter(isTheirs),
  };
}

/** Entities whose name, type or observations hold the text in any case, and every relation of one of them. */
export function searched(graph: Graph, query: string): Graph {
  const wanted = query.toLowerCase();
  const holds = (text: string): boolean => text.toLowerCase().includes(wanted);
  return withRelations(
    graph,
    ({ name, entityType, observations }) =>
      holds(name) || holds(entityType) || observations.some(({ content }) => holds(content)),
  );
}

/** The entities of those names that are there, and every relation of one of them. */
export function opened(graph: Graph, names: ReadonlySet<string>): Graph {
  return withRelations(graph, ({ name }) => names.has(name));
}

function withRelations(graph: Graph, isWanted: (entity: Entity) => boolean): Graph {
  const entities = graph.entities.filter(isWanted);
  const names = new Set(entities.map(({ name }) => name));
  return { entities, relations: graph.relations.filter(({ from, to }) => names.has(from) || names.has(to)) };
}
