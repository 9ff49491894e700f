import { isFailure } from "@seriatim/protocol";
import { exitCodes, Interrupted } from "./exit-codes.ts";

/** How long most commands may take to end in good order after a signal, in ms; then they end all the same. */
const defaultPatience = 400;

/** As long as a run with processes of its own may take, in ms: more than these are given to end by themselves. */
export const patienceWithProcesses = 2_500;

const signals = { SIGINT: 130, SIGTERM: 143 } as const;

export interface InterruptOptions {
  /** A signal is the command's normal end: it exits 0 then. Default false. */
  readonly isNormal?: boolean;
  /** How long the work may take to end after a signal, in ms. Default 400. */
  readonly patience?: number;
  /** What to say when the command had to be ended in the midst of something. */
  readonly cutShort?: string;
}

/**
 * Runs a command's work with a signal that Ctrl-C or SIGTERM fires. The process ends soon after it, or at once
 * at the second Ctrl-C: nothing that a command holds open needs more to stay whole.
 * @throws Interrupted when the work ended for that reason and that is not its normal end.
 */
export async function untilInterrupted<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: InterruptOptions = {},
): Promise<T | undefined> {
  const { isNormal = false, patience = defaultPatience, cutShort } = options;
  const controller = new AbortController();
  let exitCode: number = exitCodes.done;
  const end = (): never => {
    if (cutShort !== undefined) process.stderr.write(`seriatim: ${cutShort}\n`);
    process.exit(exitCode);
  };
  const stop = (name: "SIGINT" | "SIGTERM"): void => {
    if (controller.signal.aborted) end();
    exitCode = isNormal ? exitCodes.done : signals[name];
    controller.abort();
    setTimeout(end, patience).unref();
  };
  // A wait alone, such as one for another process's commit in a file, does not keep a process alive.
  const alive = setInterval(() => undefined, 60_000);
  process.on("SIGINT", stop).on("SIGTERM", stop);
  try {
    return await work(controller.signal);
  } catch (error) {
    if (!controller.signal.aborted || !isFailure(error, "aborted", "closed")) throw error;
    if (isNormal) return undefined;
    throw new Interrupted(exitCode);
  } finally {
    clearInterval(alive);
    process.off("SIGINT", stop).off("SIGTERM", stop);
  }
}
