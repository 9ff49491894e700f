import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { temporaryFile } from "./temporary.ts";

const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));

/** The command `seriatim sequencer` in a process of its own, and what it logs. Killed with the test. */
export class SequencerProcess {
  readonly #child: ChildProcess;
  readonly #messages: string[] = [];
  readonly #news: NodeJS.EventEmitter;

  constructor(
    { brokers, name }: { readonly brokers: readonly string[]; readonly name: string },
    ...flags: readonly string[]
  ) {
    const where = ["--brokers", brokers.join(","), "--space", name, "--view", temporaryFile("s.db")];
    const child = spawn(process.execPath, [main, "sequencer", ...where, ...flags], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    this.#news = createInterface({ input: child.stderr });
    this.#news.on("line", (line: string) => this.#messages.push((JSON.parse(line) as { readonly msg: string }).msg));
    onTestFinished(async () => {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, "exit") : undefined;
      child.kill("SIGKILL");
      await ended;
    });
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async logged(message: string): Promise<void> {
    while (!this.#messages.includes(message)) await once(this.#news, "line");
  }

  pause(): void {
    this.#child.kill("SIGSTOP");
  }

  resume(): void {
    this.#child.kill("SIGCONT");
  }
}
