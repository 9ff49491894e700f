import type { ForeignTransaction, Operation } from "@seriatim/checker";

/**
 * Tries every order of transactions on registers, one after another: each read must find the value that it saw. Nothing
 * is known of the order of the writes.
 */
export function isSerializable(all: readonly ForeignTransaction[], inSessions: boolean): boolean {
  const canFinish = (left: readonly ForeignTransaction[], state: ReadonlyMap<string, string | null>): boolean =>
    left.length === 0 ||
    left.some((transaction, at) => {
      if (inSessions && left.slice(0, at).some(({ session }) => session === transaction.session)) return false;
      const after = run(transaction.operations, state);
      return after !== undefined && canFinish(left.toSpliced(at, 1), after);
    });
  return canFinish(all, new Map());
}

interface Running {
  readonly transaction: ForeignTransaction;
  readonly snapshot: ReadonlyMap<string, string | null>;
  /** Keys that others have committed since it started. */
  readonly overwritten: ReadonlySet<string>;
}

/** Tries every order of starts and commits: each reads as of its start, and the first to commit a key wins. */
export function allowsSnapshotIsolation(all: readonly ForeignTransaction[]): boolean {
  const canFinish = (
    waiting: readonly ForeignTransaction[],
    running: readonly Running[],
    state: ReadonlyMap<string, string | null>,
  ): boolean => {
    if (waiting.length === 0 && running.length === 0) return true;
    // To start one that reads what is there, then to commit one of those that run.
    for (const [at, transaction] of waiting.entries()) {
      if (run(transaction.operations, state) === undefined) continue;
      const started = { transaction, snapshot: state, overwritten: new Set<string>() };
      if (canFinish(waiting.toSpliced(at, 1), [...running, started], state)) return true;
    }
    return running.some((one, at) => {
      const keys = written(one.transaction);
      if (keys.some((key) => one.overwritten.has(key))) return false;
      const after = new Map([...state, ...keys.map((key) => [key, last(one.transaction, key)] as const)]);
      const others = running
        .toSpliced(at, 1)
        .map((other) => Object.assign({}, other, { overwritten: new Set([...other.overwritten, ...keys]) }));
      return canFinish(waiting, others, after);
    });
  };
  return canFinish(all, [], new Map());
}

/** What stands after the operations; undefined when a read does not find what it saw. */
function run(
  operations: readonly Operation[],
  before: ReadonlyMap<string, string | null>,
): Map<string, string | null> | undefined {
  const state = new Map(before);
  for (const operation of operations) {
    if (operation.kind === "write") state.set(operation.key, operation.value);
    if (operation.kind === "read" && (state.get(operation.key) ?? null) !== operation.value) return undefined;
    if (operation.kind === "read_predicate")
      for (const key of new Set([...state.keys(), ...operation.found.keys()])) {
        const value = state.get(key) ?? null;
        const seen = value !== null && operation.predicate.matches(value) ? value : undefined;
        if (operation.found.get(key) !== seen) return undefined;
      }
  }
  return state;
}

function written({ operations }: ForeignTransaction): string[] {
  return Array.from(new Set(operations.flatMap((each) => (each.kind === "write" ? [each.key] : []))));
}

function last({ operations }: ForeignTransaction, key: string): string | null {
  const write = operations.findLast((each) => each.kind === "write" && each.key === key);
  return write?.kind === "write" ? write.value : null;
}
