import { exitCodes } from "../cli/exit-codes.ts";

/** Resolves when the message has left this process for the one that started it. */
export function tellParent(message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error === null ? resolve() : reject(error)));
  });
}

/** Does the work of this process; what it fails with is told on stderr, and ends it. */
export function workAsChild(work: () => Promise<void>): void {
  work().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(exitCodes.failed);
  });
}
