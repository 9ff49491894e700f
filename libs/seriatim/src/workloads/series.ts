import { chmodSync } from "node:fs";
import { PostgresServer } from "@seriatim/workloads";
import { exitCodes } from "../cli/exit-codes.ts";
import { patienceWithProcesses, untilInterrupted } from "../cli/interrupt.ts";
import { LiveLine } from "../cli/live-line.ts";
import { TemporaryFolder } from "../staging/folder.ts";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import type { Entrant } from "./arena.ts";
import { nameOf, thinkOf, type Row } from "./contest-report.ts";
import { problemsOf } from "./contest-verdict.ts";
import { runContest, type Sizes } from "./contest.ts";

export interface SeriesOptions {
  readonly entrants: readonly Entrant[];
  readonly sizes: Sizes;
  /** See `ContestOptions`. */
  readonly budgetInterval: number | undefined;
  readonly place: FilePlace | KafkaPlace;
  /** Where files go; the system's folder for temporary ones unless given. */
  readonly within: string | undefined;
}

/** Runs one entrant after another, shows on stderr how far they have come, and sets the exit code; undefined when cut off. */
export async function runSeries(options: SeriesOptions): Promise<Row[] | undefined> {
  const folder = new TemporaryFolder("bench", options.within);
  // A closed terminal is to leave as little behind as Ctrl-C.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  try {
    const rows = await untilInterrupted((signal) => runAll(options, folder, signal), {
      cutShort: "the run was cut short; its processes end with it",
      patience: patienceWithProcesses,
    });
    const isFine = rows?.every((row) => "skipped" in row || problemsOf(row).length === 0) === true;
    if (!isFine) process.exitCode = exitCodes.no;
    return rows;
  } finally {
    folder.remove();
  }
}

async function runAll(options: SeriesOptions, folder: TemporaryFolder, signal: AbortSignal): Promise<Row[]> {
  const { entrants, sizes } = options;
  const postgres = await startPostgres(entrants, folder);
  const rows: Row[] = [];
  let done = 0;
  let now = "";
  const line = new LiveLine(() => `${now}: ${done} of ${sizes.agents * sizes.transactions}`);
  try {
    for (const entrant of entrants) {
      if (entrant.system === "postgres" && typeof postgres === "string") {
        rows.push({ entrant, skipped: postgres });
        continue;
      }
      done = 0;
      now = `${nameOf(entrant)}, ${thinkOf(entrant)} ms`;
      const server = typeof postgres === "string" ? undefined : postgres;
      const onDone = (): void => void (done += 1);
      rows.push(await runContest({ ...options, entrant, folder, postgres: server, signal, onDone }));
    }
    return rows;
  } finally {
    line.end();
    if (postgres instanceof PostgresServer) await postgres.stop();
  }
}

/** A server, why there is none, or undefined where none is wanted. */
async function startPostgres(
  entrants: readonly Entrant[],
  folder: TemporaryFolder,
): Promise<PostgresServer | string | undefined> {
  const wanted = entrants.find((entrant) => entrant.system === "postgres");
  if (wanted === undefined) return undefined;
  try {
    await import("@seriatim/workloads/postgres");
  } catch {
    return "the package pg is not installed; npm install pg";
  }
  // The server's user must be able to reach its folder.
  chmodSync(folder.path, 0o711);
  return PostgresServer.start(folder.path, { synchronousCommit: wanted.synchronous === "full" });
}
