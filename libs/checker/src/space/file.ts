import { SqliteFile, SqliteLog, type Bounds } from "@seriatim/log";
import { Failure, isFailure, sha256 } from "@seriatim/protocol";
import { checkSlice, codecFrom } from "./genesis.ts";
import { LogsSource, type BoundedLog } from "./logs-source.ts";
import { logNames, type LogName, type Slice, type SpaceSource } from "./source.ts";

/**
 * An embedded space, as it was when it was opened: agents may go on working in it. Nothing is written.
 * @param names which logs to read; both unless given
 * @throws Failure `invalid_argument`, `not_a_space`, `unreadable`, `unknown_rules`.
 */
export async function openFileSource(
  path: string,
  slice: Slice = {},
  names: readonly LogName[] = logNames,
): Promise<SpaceSource> {
  const file = SqliteFile.open(path, { readonly: true });
  try {
    const intents = names.includes("intents") ? await logOf(file, "intents") : undefined;
    const verdicts = names.includes("verdicts") ? await logOf(file, "verdicts") : undefined;
    const effects = names.includes("effects") ? await logOf(file, "effects") : undefined;
    if (intents === undefined && verdicts === undefined)
      throw new Failure(
        "not_a_space",
        `${path} holds no space; it may be the view of one on Kafka: give --brokers and --space for that one, else name another file`,
      );
    // In one read, so that every intent comes with its verdict.
    const logs = await file.read(() => ({
      ...bounded("intents", intents),
      ...bounded("verdicts", verdicts),
      ...bounded("effects", effects),
    }));
    const first = [verdicts, intents].map((log) => log?.readNow(0, 0, { count: 1, bytes: 1 })[0]?.value);
    const name = path;
    checkSlice(slice, name, 1);
    const close = async (): Promise<void> => file.close();
    const flags = ["--file", path];
    return new LogsSource({ name, flags, ...codecFrom(first, sha256), hash: sha256, logs, slice, close });
  } catch (error) {
    file.close();
    throw error;
  }
}

/** Undefined when the file holds no such log. */
async function logOf(file: SqliteFile, name: LogName): Promise<SqliteLog | undefined> {
  try {
    return await SqliteLog.open(file, name);
  } catch (error) {
    if (isFailure(error, "not_a_space")) return undefined;
    throw error;
  }
}

function bounded(name: LogName, log: SqliteLog | undefined): Partial<Record<LogName, BoundedLog>> {
  if (log === undefined) return {};
  const bounds: Bounds[] = [log.boundsNow(0)];
  return { [name]: { log, bounds } };
}
