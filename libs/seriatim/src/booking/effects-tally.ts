import { decodeJson } from "@seriatim/effects";
import { isNeeded, isOpenRow, type Definition, type Row } from "@seriatim/effects-worker";

/** What the log says of the effects of one show. */
export interface EffectsTally {
  /** Announced before their calls. */
  readonly holds: number;
  /** Confirmations that stand in commits, and how many of them were made. */
  readonly deferred: number;
  readonly confirmed: number;
  /** Inverses that were called, and those that were not needed, for the hold had surely not happened. */
  readonly undone: number;
  readonly notNeeded: number;
  /** Calls by workers after the first of an effect, under the same key. */
  readonly repeated: number;
  /** To be called, or waiting for a transaction to end. */
  readonly open: number;
  /** Dead letters, and what nobody knows the outcome of. */
  readonly failed: number;
}

export function tallyEffects(rows: Iterable<Row>, show: string): EffectsTally {
  const ours = [...rows].filter((row) => showOf(row) === show);
  const number = (test: (row: Row) => boolean): number => ours.filter(test).length;
  const calls = ours.filter((row) => !ofKind("hold")(row));
  return {
    holds: number(ofKind("hold")),
    deferred: number(ofKind("deferred")),
    confirmed: number((row) => ofKind("deferred")(row) && row.progress.state === "done"),
    undone: number((row) => ofKind("undo")(row) && row.progress.state === "done"),
    notNeeded: number((row) => !isNeeded(row)),
    repeated: calls.reduce((sum, { progress }) => sum + Math.max(0, progress.attempt - 1), 0),
    open: number(isOpenRow),
    failed: calls.filter(({ progress }) => progress.state === "failed" || progress.state === "unknown").length,
  };
}

function ofKind(kind: Definition["kind"]) {
  return ({ definition }: Row): boolean => definition?.kind === kind;
}

function showOf({ arguments: args }: Row): unknown {
  const value = args === null ? undefined : decodeJson(args)?.value;
  return typeof value === "object" && value !== null && "show" in value ? value.show : undefined;
}
