import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Version } from "@seriatim/protocol";
import type { Identity } from "../identity.ts";
import { versionText } from "../versions.ts";
import type { Done, Found } from "./memory.ts";
import type { Entity, Graph, Origin, Relation } from "./records.ts";
import type { AddedObservations, NewEntity } from "./remember.ts";
import type { RelationName } from "./keys.ts";

/** Who wrote something and when, in a result's `_meta`. */
interface OriginText {
  readonly agent: string;
  readonly session: string;
  readonly version: string;
}

interface Provenance {
  readonly entities: readonly object[];
  readonly relations: readonly object[];
}

const none: Provenance = { entities: [], relations: [] };

export function createdEntities({ value, version }: Done<NewEntity[]>, by: Identity): CallToolResult {
  const origin = originText({ ...by, version });
  const entities = value.map(({ name, observations }) => ({
    name,
    ...origin,
    observations: observations.map(() => origin),
  }));
  return answer(value, { entities: value }, version, { ...none, entities });
}

export function createdRelations<T extends RelationName>({ value, version }: Done<T[]>, by: Identity): CallToolResult {
  const origin = originText({ ...by, version });
  return answer(value, { relations: value }, version, {
    ...none,
    relations: value.map(({ from, to, relationType }) => ({ from, to, relationType, ...origin })),
  });
}

export function observed({ value, version }: Done<AddedObservations[]>, by: Identity): CallToolResult {
  const origin = originText({ ...by, version });
  const entities = value.map(({ entityName: name, addedObservations }) => ({
    name,
    observations: addedObservations.map(() => origin),
  }));
  return answer(value, { results: value }, version, { ...none, entities });
}

export function deleted({ version }: Done<void>, message: string): CallToolResult {
  return {
    content: [{ type: "text", text: message }],
    structuredContent: { success: true, message },
    _meta: metaOf(version, none),
  };
}

export function found({ graph, version }: Found): CallToolResult {
  const plain = plainGraph(graph);
  return answer(plain, { ...plain }, version, {
    entities: graph.entities.map(({ name, observations, ...origin }) => ({
      name,
      ...originText(origin),
      observations: observations.map(originText),
    })),
    relations: graph.relations.map(({ from, to, relationType, ...origin }) => ({
      from,
      to,
      relationType,
      ...originText(origin),
    })),
  });
}

export interface PlainGraph {
  readonly entities: readonly NewEntity[];
  readonly relations: readonly RelationName[];
}

/** As the reference server gives it. */
export function plainGraph({ entities, relations }: Graph): PlainGraph {
  return { entities: entities.map(plainEntity), relations: relations.map(plainRelation) };
}

function plainEntity({ name, entityType, observations }: Entity): NewEntity {
  return { name, entityType, observations: observations.map(({ content }) => content) };
}

function plainRelation({ from, to, relationType }: Relation): RelationName {
  return { from, to, relationType };
}

function answer(
  shown: unknown,
  structuredContent: Record<string, unknown>,
  version: Version,
  provenance: Provenance,
): CallToolResult {
  return {
    content: [{ type: "text", text: JSON.stringify(shown, null, 2) }],
    structuredContent,
    _meta: metaOf(version, provenance),
  };
}

/** Beside the result, where a client that does not know of it passes it over. Observations stand in the result's order. */
function metaOf(version: Version, provenance: Provenance): Record<string, unknown> {
  return { "seriatim/version": versionText(version), "seriatim/provenance": provenance };
}

function originText({ agent, session, version }: Origin): OriginText {
  return { agent, session, version: versionText(version) };
}
