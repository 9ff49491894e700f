import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder for as long as this process lives, or until it is removed, or kept. */
export class TemporaryFolder {
  readonly path = mkdtempSync(join(tmpdir(), "seriatim-demo-"));
  readonly #onExit = (): void => this.remove();

  constructor() {
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
