import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

export type Kind = "agent" | "sequencer" | "viewer" | "worker";

/** What a process tells on stdout, one a line. */
export type Line =
  | { readonly kind: "ready" }
  | { readonly kind: "begun"; readonly action: string; readonly ledger: string; readonly business: boolean }
  | { readonly kind: "intent"; readonly action: string; readonly intent: string }
  | {
      readonly kind: "acknowledged";
      readonly action: string;
      readonly count: number;
      readonly version: { readonly partition: number; readonly offset: number };
      readonly repeated: boolean;
    }
  | { readonly kind: "failed"; readonly action: string; readonly code: string }
  | { readonly kind: "looked"; readonly whole: boolean; readonly count: number; readonly entries: number };

export interface MemberOptions {
  readonly name: string;
  readonly kind: Kind;
  /** The arguments of Node, for the start of this number. */
  readonly command: (incarnation: number) => readonly string[];
  readonly onLine: (line: Line) => void;
  /** The process ended though nobody had killed it. */
  readonly onEnd: (why: string) => void;
}

const linesKept = 20;

/** They end with us. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** A process under attack, started again whenever it was killed. */
export class Member {
  readonly name: string;
  readonly kind: Kind;
  readonly #options: MemberOptions;
  #child: ChildProcess | undefined;
  #incarnation = 0;
  #isExpected = false;
  #complaints: string[] = [];
  #last = "";
  isReady = false;
  isPaused = false;

  constructor(options: MemberOptions) {
    this.#options = options;
    this.name = options.name;
    this.kind = options.kind;
  }

  start(): void {
    this.isReady = false;
    this.isPaused = false;
    this.#isExpected = false;
    this.#complaints = [];
    const child = spawn(process.execPath, this.#options.command(this.#incarnation), {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#incarnation += 1;
    this.#child = child;
    createInterface({ input: child.stdout }).on("line", (line) => this.#heard(line));
    createInterface({ input: child.stderr }).on("line", (line) => {
      this.#complaints = [...this.#complaints, line].slice(-linesKept);
    });
    running.add(child);
    child.once("close", (code, signal) => {
      running.delete(child);
      if (this.#isExpected || this.#child !== child) return;
      this.#options.onEnd(`${this.name} ended with ${signal ?? code}:\n${this.#complaints.join("\n")}`);
    });
  }

  /** Kills it with -9, and resolves when all that it had told was heard. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#isExpected) return;
    this.#isExpected = true;
    const closed = once(child, "close");
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await closed;
  }

  pause(): void {
    this.#child?.kill("SIGSTOP");
    this.isPaused = true;
  }

  resume(): void {
    this.#child?.kill("SIGCONT");
    this.isPaused = false;
  }

  /** The clock of a process that was started with a skewed one jumps to the other side of the true time. */
  jump(): void {
    this.#child?.kill("SIGUSR2");
  }

  /** What is known of it, for whoever has to find out why nothing goes on. */
  describe(): string {
    const state = [this.isReady ? "ready" : "starting", ...(this.isPaused ? ["paused"] : [])].join(", ");
    const last = [this.#last, ...this.#complaints].map((line) => `\n    ${line}`).join("");
    return `${this.kind} ${this.name}, pid ${this.#child?.pid}, start ${this.#incarnation}: ${state}${last}`;
  }

  #heard(text: string): void {
    this.#last = text;
    const line = JSON.parse(text) as Line | { readonly ready: true };
    if ("ready" in line || line.kind === "ready") this.isReady = true;
    if ("kind" in line) this.#options.onLine(line);
  }
}
