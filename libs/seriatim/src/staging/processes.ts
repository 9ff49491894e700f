import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

/** What a child wrote to stderr last is kept, up to so many characters. */
const keptCharacters = 2000;
/** How long a child may take to end, in ms. */
const patience = 1500;

const leash = new URL("./leash.js", import.meta.url).href;

export interface StartOptions {
  /** For people: what failed, if it does. */
  readonly name: string;
  /** The JavaScript file that it runs. */
  readonly module: string;
  readonly arguments: readonly string[];
  /** Variables of its environment besides this process's own. */
  readonly environment?: Readonly<Record<string, string>>;
}

interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<void>;
}

/** The child processes of a command. They end when it does. */
export class Processes {
  /** Rejects when a child ends before it was told to, with which one and what it said last. Never resolves. */
  readonly failure: Promise<never>;
  readonly #children: Child[] = [];
  #fail: (error: Error) => void = () => undefined;
  #isEnding = false;

  constructor() {
    this.failure = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failure.catch(() => undefined);
  }

  /** What it writes to stdout is there to be read; stderr is kept for its last words. */
  start({ name, module, arguments: given, environment = {} }: StartOptions): ChildProcess {
    const child = fork(module, given, {
      execArgv: ["--import", leash],
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      // A process group of its own: Ctrl-C is the parent's to handle.
      detached: true,
    });
    // Unread, it would hold up the child.
    child.stdout?.resume();
    const words = new LastWords(child);
    const ended = new Promise<void>((resolve) => {
      // Not "close": it never comes to a child that its parent has disconnected.
      child.once("exit", (code, signal) => {
        resolve();
        if (!this.#isEnding) void words.all().then((said) => this.#fail(endedEarly(name, code, signal, said)));
      });
      child.once("error", (error) => {
        resolve();
        this.#fail(new Error(`${name} could not be started: ${error.message}`, { cause: error }));
      });
    });
    this.#children.push({ process: child, ended });
    return child;
  }

  /** Resolves when all have ended. */
  async end(): Promise<void> {
    this.#isEnding = true;
    for (const { process: child } of this.#children) if (child.connected) child.disconnect();
    const ended = Promise.all(this.#children.map((child) => child.ended)).then(() => true);
    const stop = new AbortController();
    const late = sleep(patience, false, { signal: stop.signal }).catch(() => false);
    if (!(await Promise.race([ended, late]))) for (const { process: child } of this.#children) child.kill("SIGKILL");
    stop.abort();
    await ended;
  }
}

/** The end of what a child writes to stderr. */
class LastWords {
  readonly #ended: Promise<unknown>;
  #said = "";

  constructor({ stderr }: ChildProcess) {
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#said = (this.#said + text).slice(-keptCharacters);
    });
    this.#ended = stderr === null ? Promise.resolve() : once(stderr, "close");
  }

  async all(): Promise<string> {
    await this.#ended;
    return this.#said.trim();
  }
}

function endedEarly(name: string, code: number | null, signal: string | null, said: string): Error {
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return new Error(`${name} ended early, by ${how}; ${said === "" ? "it said nothing" : `its last words:\n${said}`}`);
}
