import { Failure } from "@seriatim/protocol";
import { Processes } from "./processes.ts";

/**
 * Does `work` with processes of its own, of which none is left, however it ends.
 * @param what completes "... was interrupted"
 * @throws Failure `aborted` when the signal fires; what `work` throws; an Error that names a process which ended early.
 */
export async function withProcesses<T>(
  what: string,
  signal: AbortSignal,
  work: (processes: Processes) => Promise<T>,
): Promise<T> {
  const processes = new Processes();
  try {
    return await Promise.race([work(processes), processes.failure, abortOf(signal, what)]);
  } finally {
    await processes.end();
  }
}

function abortOf(signal: AbortSignal, what: string): Promise<never> {
  return new Promise((_, reject) => {
    const abort = (): void => reject(new Failure("aborted", `${what} was interrupted; no process of it is left`));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
