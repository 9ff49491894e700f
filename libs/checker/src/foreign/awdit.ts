import type { ForeignHistory, ForeignTransaction, Operation } from "../history.ts";
import { malformed } from "./malformed.ts";

const operation = /^([rw])\s+(\S+)\s+(\S+)$/;

/** AWDIT's text: `r key value` and `w key value`, `-----` between transactions, `=====` between sessions. */
export function readAwdit(text: string, file: string): ForeignHistory {
  const transactions: ForeignTransaction[] = [];
  let session = 0;
  let operations: Operation[] = [];
  const finish = (): void => {
    if (operations.length === 0) return;
    const name = `T${transactions.length + 1}`;
    transactions.push({
      kind: "foreign",
      name,
      session: `session ${session}`,
      status: "committed",
      operations,
      begin: null,
      end: null,
    });
    operations = [];
  };
  for (const [at, whole] of text.split("\n").entries()) {
    const line = whole.trim();
    if (line === "") continue;
    if (/^-+$/.test(line)) finish();
    else if (/^=+$/.test(line)) {
      finish();
      session += 1;
    } else operations.push(operationOf(line, file, at + 1));
  }
  finish();
  return { kind: "foreign", format: "AWDIT", transactions, initial: new Map(), assumptions: [], skipped: 0 };
}

function operationOf(text: string, file: string, line: number): Operation {
  const [, kind, key, value] = operation.exec(text) ?? [];
  if (kind === undefined || key === undefined || value === undefined)
    throw malformed({ file, line }, `expected "r key value", "w key value", "-----" or "=====", found "${text}"`);
  return { kind: kind === "r" ? "read" : "write", key, value };
}
