import type { Buffer } from "node:buffer";
import type { ForeignHistory, ForeignTransaction, Operation } from "../history.ts";
import { ByteReader } from "./bytes.ts";

/**
 * dbcop's bincode, little-endian: five numbers and three strings about the run, then sessions of transactions of events
 * `{ write, variable, value, success }`, each list led by its length. Every variable is 0 at first.
 */
export function readDbcop(bytes: Buffer, file: string): ForeignHistory {
  const reader = new ByteReader(bytes, file);
  reader.skip(5 * 8);
  for (let text = 0; text < 3; text += 1) reader.skip(reader.count());
  const transactions: ForeignTransaction[] = [];
  for (let session = 0, sessions = reader.count(); session < sessions; session += 1)
    for (let place = 0, places = reader.count(); place < places; place += 1)
      transactions.push(transactionOf(reader, session, place));
  if (!reader.isAtEnd) throw reader.wrong("the file goes on after its last session");
  return {
    kind: "foreign",
    format: "dbcop",
    transactions,
    initial: new Map(),
    assumptions: ["every variable holds 0 before the first transaction"],
    skipped: 0,
  };
}

function transactionOf(reader: ByteReader, session: number, place: number): ForeignTransaction {
  const operations: Operation[] = [];
  for (let event = 0, events = reader.count(); event < events; event += 1) {
    const isWrite = reader.flag();
    const key = String(reader.littleEndian());
    const value = reader.littleEndian();
    const succeeded = reader.flag();
    if (!succeeded) continue;
    operations.push(
      isWrite
        ? { kind: "write", key, value: String(value) }
        : { kind: "read", key, value: value === 0n ? null : String(value) },
    );
  }
  return {
    kind: "foreign",
    name: `T${session}.${place}`,
    session: `session ${session}`,
    status: reader.flag() ? "committed" : "aborted",
    operations,
    begin: null,
    end: null,
  };
}
