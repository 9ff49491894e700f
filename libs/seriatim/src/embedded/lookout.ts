import type { SqliteFile } from "@seriatim/log";

/** How often it looks where it is told, in ms: whoever tells may have been stopped. */
const rarely = 100;

/** `closely`: at every commit, by polling, a few ms late; `rarely`: as a precaution, where the holder tells. */
export type Care = "none" | "rarely" | "closely";

/** Looks for the commits of other processes, as closely as is needed. */
export class Lookout {
  readonly #file: SqliteFile;
  readonly #onCommit: () => void;
  #care: Care = "none";
  #stop: () => void = () => undefined;

  constructor(file: SqliteFile, onCommit: () => void) {
    this.#file = file;
    this.#onCommit = onCommit;
  }

  look(care: Care): void {
    if (care === this.#care || !this.#file.isOpen) return;
    this.#stop();
    this.#care = care;
    this.#stop = this.#begin(care);
  }

  #begin(care: Care): () => void {
    switch (care) {
      case "none":
        return () => undefined;
      case "closely":
        return this.#file.subscribe(this.#onCommit);
      case "rarely": {
        const timer = setInterval(this.#onCommit, rarely).unref();
        return () => clearInterval(timer);
      }
    }
  }
}
