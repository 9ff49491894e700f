import { bufferOf, Failure, sha256, toBytes } from "@seriatim/protocol";

/**
 * Where the memory's parts stand. All of it is under one partition key, so that a call is one transaction also on Kafka:
 *
 *   memory/e/<entity>/n                  the entity itself
 *   memory/e/<entity>/o/<content>        an observation of it
 *   memory/e/<from>/r/<to>/<type>        a relation, which may stand without the entity that it starts from
 *   memory/t/<to>/<from>/<type>          the same relation, to be found from its other end
 *
 * An entity's own part is one range, which its deletion reads: what is added to it meanwhile refuses that.
 */
export const partitionKey = "memory";
export const entitiesPrefix = `${partitionKey}/e/`;
export const arrivalsPrefix = `${partitionKey}/t/`;

export function entityPrefix(name: string): string {
  return `${entitiesPrefix}${segment(name)}/`;
}

/** Of the relations that end at the entity. */
export function arrivalPrefix(name: string): string {
  return `${arrivalsPrefix}${segment(name)}/`;
}

export function entityKey(name: string): string {
  return `${entityPrefix(name)}n`;
}

export function observationKey(entityName: string, content: string): string {
  return `${entityPrefix(entityName)}o/${segment(content)}`;
}

export interface RelationName {
  readonly from: string;
  readonly to: string;
  readonly relationType: string;
}

export function relationKey({ from, to, relationType }: RelationName): string {
  return `${entityPrefix(from)}r/${segment(to)}/${segment(relationType)}`;
}

export function arrivalKey({ from, to, relationType }: RelationName): string {
  return `${arrivalPrefix(to)}${segment(from)}/${segment(relationType)}`;
}

/** The segment of an entity in a key below {@link entitiesPrefix}. */
export function entitySegmentOf(key: string): string {
  return key.slice(entitiesPrefix.length, key.indexOf("/", entitiesPrefix.length));
}

/** Three of them and what stands between must fit into a key. */
const longestSegment = 120;

/** What would end a segment, stand for something else in it, or is hard to read in a terminal. */
// oxlint-disable-next-line no-control-regex
const reserved = /[\u0000-\u001f\u007f/%~]/g;

/**
 * A text as one segment of a key: as it is where that can be, and no two texts as the same. A long one is its hash; the
 * value holds the text itself.
 * @throws Failure `invalid_argument` when it is no text.
 */
function segment(text: string): string {
  if (!text.isWellFormed())
    throw new Failure(
      "invalid_argument",
      `${JSON.stringify(text.slice(0, 80))} holds a lone surrogate, which is no Unicode text; nothing was written`,
    );
  const escaped = text.replace(reserved, (character) => `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`);
  if (toBytes(escaped).length <= longestSegment) return escaped;
  return `~${bufferOf(sha256(bufferOf(toBytes(text)))).toString("base64url")}`;
}
