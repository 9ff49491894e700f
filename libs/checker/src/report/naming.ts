import { fromBytes, type KeyRange } from "@seriatim/protocol";
import type { ForeignTransaction, HistoryTransaction, LoggedTransaction, Operation } from "../history.ts";
import type { ReportedTransaction } from "./report.ts";

/** What transactions are called in one report: with their partition where there are several. */
export class Naming {
  readonly #isPartitioned: boolean;

  constructor(isPartitioned: boolean) {
    this.#isPartitioned = isPartitioned;
  }

  nameOf(transaction: HistoryTransaction): string {
    if (transaction.kind === "foreign") return transaction.name;
    if (transaction.kind === "outside" && transaction.offset === null) return transaction.name;
    const { partition, offset } = transaction;
    return this.#isPartitioned ? `T${partition}@${offset}` : `T${offset}`;
  }

  reported(transaction: HistoryTransaction): ReportedTransaction {
    const name = this.nameOf(transaction);
    switch (transaction.kind) {
      case "logged":
        return logged(name, transaction);
      case "foreign":
        return foreign(name, transaction);
      case "outside":
        return { ...nothing, name, version: null };
    }
  }
}

const nothing = {
  agent: null,
  id: null,
  time: null,
  isolation: null,
  snapshot: null,
  reads: [],
  writes: [],
  effects: [],
  left: [],
};

function logged(name: string, transaction: LoggedTransaction): ReportedTransaction {
  const { partition, offset, agent, id, time, isolation, snapshot, points, ranges, writes, effects } = transaction;
  return {
    name,
    version: `${partition}@${offset}`,
    agent,
    id,
    // A history written by hand has no times.
    time: time === 0 ? null : new Date(time).toISOString(),
    isolation,
    snapshot,
    reads: [
      ...points.map(({ key, version }) => `${fromBytes(key)} ${version === null ? "absent" : `as of ${version}`}`),
      ...ranges.map((range) => `${rangeText(range)} as of ${snapshot}`),
    ],
    writes: writes.map(({ key, deleted }) => (deleted ? `deleted ${fromBytes(key)}` : fromBytes(key))),
    effects: effects.map(effectText),
    left: effects.filter(({ left }) => left !== null).map(effectText),
  };
}

function effectText({ name, lane }: { readonly name: string; readonly lane: string }): string {
  return lane === "" ? name : `${name} (lane ${lane})`;
}

function foreign(name: string, { session, operations }: ForeignTransaction): ReportedTransaction {
  return {
    ...nothing,
    name,
    version: null,
    agent: session === null || session.startsWith("session") ? session : `session ${session}`,
    reads: operations.filter((operation) => !isWrite(operation)).map(operationText),
    writes: operations.filter(isWrite).map(operationText),
  };
}

function isWrite({ kind }: Operation): boolean {
  return kind === "write" || kind === "append";
}

function operationText(operation: Operation): string {
  switch (operation.kind) {
    case "read":
      return `${operation.key} = ${operation.value ?? "absent"}`;
    case "write":
      return operation.value === null ? `deleted ${operation.key}` : `${operation.key} = ${operation.value}`;
    case "append":
      return `${operation.key} + ${operation.value}`;
    case "read_list":
      return `${operation.key} = [${operation.values.join(" ")}]`;
    case "read_predicate": {
      const found = [...operation.found].map(([key, value]) => `${key} = ${value}`);
      return `${operation.predicate.text}: ${found.length === 0 ? "nothing" : found.join(", ")}`;
    }
  }
}

const slash = "/";

/** A range as people read it: by its prefix where it is all that has one. */
export function rangeText({ from, to }: KeyRange): string {
  const isPrefix = from.endsWith(slash) && to === `${from.slice(0, -1)}0`;
  return isPrefix ? `${fromBytes(from)}*` : `[${printable(from)}, ${printable(to)})`;
}

function printable(bound: KeyRange["from"]): string {
  return bound === "\xff" ? "…" : fromBytes(bound).replaceAll("\0", "\\0");
}
