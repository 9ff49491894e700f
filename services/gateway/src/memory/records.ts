import type { Version } from "@seriatim/protocol";
import type { RelationName } from "./keys.ts";

/** Who wrote something: stands in every value of the memory. */
export interface Author {
  /** The agent's own name, without its session. */
  readonly agent: string;
  readonly session: string;
}

/** At which places in its call something was given; with the version that is the order in which things were told. */
interface Placed {
  readonly at: number;
}

export interface EntityRecord extends Author, Placed {
  readonly name: string;
  readonly entityType: string;
}

export interface ObservationRecord extends Author {
  readonly content: string;
  /** More than one where the same text was given more than once in the call that made it. */
  readonly at: readonly number[];
}

export interface RelationRecord extends Author, Placed, RelationName {}

/** Who wrote something, and when. */
export interface Origin extends Author {
  readonly version: Version;
}

export interface Observation extends Origin {
  readonly content: string;
}

export interface Entity extends Origin {
  readonly name: string;
  readonly entityType: string;
  readonly observations: readonly Observation[];
}

export interface Relation extends Origin, RelationName {}

/** What a read found, in the order in which it was told. */
export interface Graph {
  readonly entities: readonly Entity[];
  readonly relations: readonly Relation[];
}

/**
 * Others may write anything at any key with other means; a value that is none of ours is passed over, so that one stray
 * key does not hide the memory.
 */
export function isEntityRecord(value: unknown): value is EntityRecord {
  return isAuthored(value) && areTexts(value, "name", "entityType") && typeof value["at"] === "number";
}

export function isObservationRecord(value: unknown): value is ObservationRecord {
  if (!isAuthored(value) || !areTexts(value, "content")) return false;
  const { at } = value;
  return Array.isArray(at) && at.every((place) => typeof place === "number");
}

export function isRelationRecord(value: unknown): value is RelationRecord {
  const ends = ["from", "to", "relationType"];
  if (!isAuthored(value) || !areTexts(value, ...ends) || typeof value["at"] !== "number") return false;
  // Only what can be named has a key of its own.
  return ends.every((name) => String(value[name]).isWellFormed());
}

function isAuthored(value: unknown): value is Record<string, unknown> & Author {
  return typeof value === "object" && value !== null && areTexts(value as Record<string, unknown>, "agent", "session");
}

function areTexts(value: Readonly<Record<string, unknown>>, ...names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === "string");
}
