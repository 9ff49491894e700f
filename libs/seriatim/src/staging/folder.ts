import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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

  remove(): void {
    this.keep();
    rmSync(this.path, { recursive: true, force: true, maxRetries: 3 });
  }
}
