import type { SqliteFile } from "@seriatim/log";
import { sha256, type Digest, type Verdict } from "@seriatim/protocol";
import { newest, type View } from "@seriatim/view";
import { isCommitted } from "./truth.ts";
import { partitions } from "./world.ts";

/**
 * The content of a view, as far as it follows from the verdicts: every version of every key with its value, every
 * claim, every hold, and what was decided last.
 */
export function contentOf(view: View): Digest {
  const versions = partitions.flatMap((partition) => view.changes(partition, -1, newest));
  const rows = versions.map(({ key, version }) => [key, version, textOf(view.get(key, version)?.value)]);
  const claims = partitions.flatMap((partition) => [...view.recentClaims(partition, -1)]);
  const ids = claims.map(({ id, offset, digest, cancelled }) => [id, offset, digest, cancelled]);
  const found = partitions.flatMap((partition) => [...view.recentHolds(partition, -1)]);
  const holds = found.map(({ id, offset, digest, index, deadline }) => [id, offset, digest, index, deadline]);
  return digestOf([rows, ids, holds, partitions.map((partition) => view.position(partition).chain)]);
}

/**
 * Every row of the tables that depend on nothing but the verdicts, as SQLite has them. `view_deleted` depends on how they
 * were folded too, and the position on how they were read.
 */
export function tablesOf({ database }: SqliteFile): Digest {
  return digestOf(queriesOfTables.map((sql) => database.prepare<[], string>(sql).pluck().get()));
}

const queriesOfTables = [
  ["view_versions", "place, version, hex(key), hex(value)"],
  ["view_latest", "hex(key), version, place"],
  ["view_earlier", "hex(key), version, place, live"],
  [
    "view_intents",
    "place, time, writes, claims, hash, kind, code, reason, first, id, agent, hex(digest), conflicts, hex(result)",
  ],
  ["view_holds", "place, hash, number, deadline, timeout, name, undo"],
  ["view_tallies", "partition, name, count"],
].map(([table, columns]) => `SELECT json_group_array(json_array(${columns})) FROM ${table}`);

/** The same, from the verdicts themselves, of all partitions in turn. */
export function contentFrom(verdicts: readonly (readonly Verdict[])[]): Digest {
  const rows = verdicts
    .flat()
    .filter(isCommitted)
    .flatMap(({ offset, outcome }) => outcome.writes.map(({ key, value }) => [key, offset, textOf(value)]));
  const ids = verdicts.flat().flatMap(({ id, offset, digest, outcome }) => {
    const { kind } = outcome;
    const claims = kind === "committed" || isClosing(kind) || (kind === "refused" && claiming.has(outcome.code));
    return claims ? [[id, offset, digest, isClosing(kind)]] : [];
  });
  const holds = verdicts
    .flat()
    .flatMap(({ id, offset, digest, outcome }) =>
      outcome.kind === "held" ? [[id, offset, digest, outcome.index, outcome.deadline]] : [],
    );
  return digestOf([rows, ids, holds, verdicts.map((decided) => decided.at(-1)?.chain)]);
}

function isClosing(kind: Verdict["outcome"]["kind"]): boolean {
  return kind === "cancelled" || kind === "expired";
}

/** The refusals that spend the id. */
const claiming: ReadonlySet<string> = new Set(["not_in_time", "conflict", "too_large"]);

function textOf(value: Uint8Array | null | undefined): string | null {
  return value === undefined || value === null ? null : Buffer.from(value).toString("latin1");
}

function digestOf(content: unknown): Digest {
  return sha256(Buffer.from(JSON.stringify(content)));
}
