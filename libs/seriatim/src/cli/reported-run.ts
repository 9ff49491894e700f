import { patienceWithProcesses, untilInterrupted } from "./interrupt.ts";
import { print, printJson } from "./output.ts";

/** A run of agents in processes of their own, which is summed up at its end. */
export interface ReportedRun<Result, Summary> {
  readonly json: boolean;
  readonly opening: readonly string[];
  /** What is said when a signal ends it. */
  readonly cutShort: string;
  run(signal: AbortSignal): Promise<Result>;
  summarise(result: Result): Summary;
  closing(result: Result, summary: Summary): readonly string[];
  exitCode(summary: Summary): number;
}

/** Performs it, prints its report or one JSON object, and sets the exit code. */
export async function performReported<Result, Summary>(reported: ReportedRun<Result, Summary>): Promise<void> {
  if (!reported.json) for (const line of reported.opening) print(line);
  // A closed terminal is to leave as little behind as Ctrl-C.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  const { cutShort } = reported;
  const result = await untilInterrupted((signal) => reported.run(signal), {
    cutShort,
    patience: patienceWithProcesses,
  });
  if (result === undefined) return;
  const summary = reported.summarise(result);
  if (reported.json) printJson(summary);
  else for (const line of reported.closing(result, summary)) print(line);
  process.exitCode = reported.exitCode(summary);
}
