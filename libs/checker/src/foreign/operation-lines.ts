import type { ForeignHistory, ForeignTransaction, Operation } from "../history.ts";
import { malformed } from "./malformed.ts";

const line = /^([rw])\(([^,()]+),([^,()]+),([^,()]+),([^,()]+)\)$/;

/** One operation a line, `r(key,value,session,txn)` or `w(…)`: those of one session and transaction belong together. */
export function readOperationLines(text: string, file: string): ForeignHistory {
  const operations = new Map<string, { session: string; operations: Operation[] }>();
  for (const [at, whole] of text.split("\n").entries()) {
    const trimmed = whole.trim();
    if (trimmed === "") continue;
    const [, kind, key, value, session, transaction] = line.exec(trimmed) ?? [];
    if (key === undefined || value === undefined || session === undefined || transaction === undefined)
      throw malformed({ file, line: at + 1 }, `expected "r(key,value,session,txn)" or "w(…)", found "${trimmed}"`);
    const name = `${session}.${transaction}`;
    const own = operations.get(name) ?? { session, operations: [] };
    operations.set(name, own);
    own.operations.push({ kind: kind === "r" ? "read" : "write", key, value });
  }
  const transactions = Array.from(operations, ([name, own]): ForeignTransaction => ({
    kind: "foreign",
    name: `T${name}`,
    status: "committed",
    begin: null,
    end: null,
    ...own,
  }));
  return {
    kind: "foreign",
    format: "r|w(key,value,session,txn)",
    transactions,
    initial: new Map(),
    assumptions: [],
    skipped: 0,
  };
}
