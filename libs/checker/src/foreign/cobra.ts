import type { Buffer } from "node:buffer";
import type { ForeignHistory, ForeignTransaction, Operation, Value } from "../history.ts";
import { ByteReader } from "./bytes.ts";

/** The write ids that Cobra gives to what was there before the first transaction. */
const initialIds = new Set([0xbebeebeen, 0xdeadbeefn]);

/**
 * Cobra's logs, one file a client, big-endian: `S` txn, `W` write-id key value, `R` writing-txn write-id key value,
 * `C` txn. Write ids are unique, and stand for the values. What has no `C` did not commit.
 */
export function readCobra(files: readonly { readonly name: string; readonly bytes: Buffer }[]): ForeignHistory {
  const transactions = files.flatMap(({ name, bytes }) => clientOf(name, bytes));
  return { kind: "foreign", format: "Cobra", transactions, initial: new Map(), assumptions: [], skipped: 0 };
}

function clientOf(file: string, bytes: Buffer): ForeignTransaction[] {
  const reader = new ByteReader(bytes, file);
  const transactions: ForeignTransaction[] = [];
  let open: { readonly id: bigint; readonly operations: Operation[] } | undefined;
  const close = (status: ForeignTransaction["status"]): void => {
    if (open === undefined) return;
    const { id, operations } = open;
    transactions.push({
      kind: "foreign",
      name: `T${id}`,
      session: file,
      status,
      operations,
      begin: null,
      end: null,
    });
    open = undefined;
  };
  while (!reader.isAtEnd) {
    const kind = String.fromCharCode(reader.byte());
    if (kind === "S") {
      close("aborted");
      open = { id: reader.bigEndian(), operations: [] };
    } else if (kind === "C") {
      const id = reader.bigEndian();
      if (open?.id !== id) throw reader.wrong(`transaction ${id} commits, but was not begun before`);
      close("committed");
    } else if ((kind === "W" || kind === "R") && open !== undefined) open.operations.push(operationOf(reader, kind));
    else throw reader.wrong(`expected the start of a transaction, found the byte ${JSON.stringify(kind)}`);
  }
  close("aborted");
  return transactions;
}

function operationOf(reader: ByteReader, kind: "W" | "R"): Operation {
  if (kind === "R") reader.bigEndian();
  const id = reader.bigEndian();
  const key = String(reader.bigEndian());
  reader.bigEndian();
  const value: Value | null = initialIds.has(id) ? null : String(id);
  return { kind: kind === "R" ? "read" : "write", key, value };
}
