import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A worker in a process of its own that ends itself, or halts, at some step. */
export class Victim {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #exited: Promise<unknown>;
  #errors = "";

  constructor(options: object) {
    const path = fileURLToPath(new URL("victim.mjs", import.meta.url));
    this.#child = spawn(process.execPath, [path, JSON.stringify(options)], { stdio: ["ignore", "pipe", "pipe"] });
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error("the child has no pipes");
    this.#lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
    stderr.setEncoding("utf8").on("data", (part: string) => (this.#errors += part));
    this.#exited = once(this.#child, "exit");
  }

  /** @throws when it ends before it is ready. */
  async ready(): Promise<void> {
    if ((await this.#next()) !== "ready") throw new Error(`the victim did not start: ${this.#errors}`);
  }

  /** Resolves when it has come to its step; false when it did not within `ms`. */
  async struck(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
    const line = await Promise.race([this.#next(), late]);
    clearTimeout(timer);
    return line !== undefined;
  }

  /** After SIGSTOP. */
  goOn(): void {
    this.#child.kill("SIGCONT");
  }

  /** Ends it in good order, or at once. @returns what it has said of errors */
  async end(signal: "SIGTERM" | "SIGKILL"): Promise<string> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill(signal);
    await this.#exited;
    return this.#errors;
  }

  async #next(): Promise<string | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : value;
  }
}
