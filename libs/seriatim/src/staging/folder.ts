import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FilePlace, KafkaPlace } from "./place.ts";

/** A folder for as long as this process lives, or until it is removed, or kept. */
export class TemporaryFolder {
  readonly path: string;
  readonly #onExit = (): void => this.remove();

  /** @param within the system's folder for temporary files unless given. */
  constructor(name: string, within = tmpdir()) {
    this.path = mkdtempSync(join(within, `seriatim-${name}-`));
    process.once("exit", this.#onExit);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  keep(): void {
    process.off("exit", this.#onExit);
  }

  /** Keeps it for a place that says so, and removes it for every other. */
  endAt(place: FilePlace | KafkaPlace): void {
    if (place.log === "sqlite" && place.keep) this.keep();
    else this.remove();
  }

  remove(): void {
    this.keep();
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
