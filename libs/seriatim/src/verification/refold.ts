import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteFile, type Log } from "@seriatim/log";
import { encodeGenesis, type RecordCodec } from "@seriatim/protocol";
import { View } from "@seriatim/view";
import { readUpTo } from "./read-up-to.ts";

export interface Logs {
  readonly intents: Log;
  readonly verdicts: Log;
  readonly codec: RecordCodec;
}

/** Gives `work` an empty view of the space in a file of its own, which is gone afterwards. */
export async function withFreshView<T>(
  { codec }: Logs,
  work: (view: View, file: SqliteFile) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "seriatim-verify-"));
  const file = SqliteFile.open(join(folder, "view.db"), { synchronous: "normal" });
  try {
    const view = await View.open(file);
    await file.transaction(() => view.bind(encodeGenesis(codec.genesis)));
    return await work(view, file);
  } finally {
    file.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Folds the verdicts of one partition from the log's start, up to and including the one of the offset given. */
export async function refold(
  { verdicts, codec }: Logs,
  { view, file }: { readonly view: View; readonly file: SqliteFile },
  { partition, upTo, signal }: { readonly partition: number; readonly upTo: number; readonly signal: AbortSignal },
): Promise<void> {
  for await (const records of readUpTo(verdicts, partition, signal)) {
    const read = records.map(({ offset, value }) => ({ at: offset, verdict: codec.decodeVerdict(value) }));
    const wanted = read.filter(({ verdict }) => verdict === undefined || verdict.offset <= upTo);
    await file.transaction(() => view.fold(partition, wanted), { signal });
    if (view.position(partition).offset >= upTo) return;
  }
}
