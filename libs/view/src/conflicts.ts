import type { Bytes, Conflict, ConflictKind } from "@seriatim/protocol";

type Stored = readonly [kind: ConflictKind, key: string, version: number];

/** The conflicts of a refusal as one text: they are read together or not at all. */
export function encodeConflicts(conflicts: readonly Conflict[]): string {
  return JSON.stringify(conflicts.map(({ kind, key, version }): Stored => [kind, key, version]));
}

export function decodeConflicts(text: string | null): readonly Conflict[] {
  if (text === null) return [];
  const stored = JSON.parse(text) as readonly Stored[];
  return stored.map(([kind, key, version]) => ({ kind, key: key as Bytes, version }));
}
