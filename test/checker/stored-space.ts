import { sha256 } from "@seriatim/protocol";
import { appendFileSync } from "node:fs";
import {
  exportLines,
  openExportSource,
  SpaceHistory,
  type LoggedTransaction,
  type ReadingOptions,
} from "@seriatim/checker";
import type { StoredRecord } from "../../libs/checker/src/space/items.ts";
import { codecFrom } from "../../libs/checker/src/space/genesis.ts";
import { LogsSource, type BoundedLog } from "../../libs/checker/src/space/logs-source.ts";
import type { LogName, Slice, SpaceSource } from "../../libs/checker/src/space/source.ts";
import { temporaryFile } from "../support/temporary.ts";
import { MemoryLog } from "../view/memory-log.ts";

/** What stands in one partition's logs. A log that is left out is not read. */
export type Stored = Readonly<Partial<Record<LogName, readonly StoredRecord[]>>>;

/** Intents and verdicts, of which neither is left out. */
export type BothLogs = Required<Pick<Stored, "intents" | "verdicts">>;

/** One partition of logs in memory as a space. */
export function storedSource(
  stored: Stored,
  slice: Slice & { readonly partition: number } = { partition: 0 },
): LogsSource {
  const logs = Object.fromEntries(
    Object.entries(stored).map(([name, records]) => [name, boundedLog(name, records, slice.partition)]),
  );
  const first = [stored.verdicts?.[0]?.value, stored.intents?.[0]?.value];
  const { codec, hasGenesis } = codecFrom(first, sha256);
  return new LogsSource({
    name: "memory",
    flags: [],
    codec,
    hasGenesis,
    hash: sha256,
    logs,
    slice,
    close: async () => {},
  });
}

function boundedLog(name: string, records: readonly StoredRecord[], partition: number): BoundedLog {
  const log = new MemoryLog(name, { batch: 3 });
  log.records = records.map((record) => ({ ...record, headers: {} }));
  const end = Math.max(-1, ...records.map(({ offset }) => offset)) + 1;
  return { log, bounds: Array.from({ length: partition + 1 }, () => ({ start: 0, end })) };
}

/** Reads all of a space. */
export async function audited(source: SpaceSource, options: ReadingOptions = {}): Promise<SpaceHistory> {
  const history = new SpaceHistory(source, options);
  await history.audit();
  return history;
}

/** The names of what was found, each once. */
export function namesOf({ objections }: SpaceHistory): string[] {
  return [...objections.counts.keys()].toSorted();
}

/** All transactions that a space holds, as the judge is given them. */
export async function transactionsOf(source: SpaceSource): Promise<readonly LoggedTransaction[]> {
  const transactions: LoggedTransaction[] = [];
  for await (const batch of new SpaceHistory(source).read()) transactions.push(...batch);
  return transactions;
}

/** The source once more, from an export of it. */
export async function exported(source: SpaceSource): Promise<SpaceSource> {
  const path = temporaryFile("space.jsonl");
  for await (const lines of exportLines(source, new AbortController().signal))
    appendFileSync(path, lines.map((line) => `${line}\n`).join(""));
  return openExportSource(path);
}
