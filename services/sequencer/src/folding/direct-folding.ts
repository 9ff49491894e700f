import type { SqliteFile } from "@seriatim/log";
import { isFailure } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import type { Folding, ReadBack } from "./folding.ts";

/** Folds at once, in the driver's own thread: a driver is never ahead of its view. */
export class DirectFolding implements Folding {
  readonly #file: SqliteFile;
  readonly #view: View;

  constructor(file: SqliteFile, view: View) {
    this.#file = file;
    this.#view = view;
  }

  async take(partition: number, records: readonly ReadBack[], signal: AbortSignal): Promise<void> {
    await this.#file.transaction(() => this.#view.fold(partition, records), { signal }).catch(ignoreAbort);
  }

  async settled(): Promise<void> {
    // Whoever takes waits for the fold.
  }

  /** Whoever takes is told. */
  async watch(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

function ignoreAbort(error: unknown): void {
  if (!isFailure(error, "aborted")) throw error;
}
