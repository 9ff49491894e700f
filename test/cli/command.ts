import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  readonly cwd?: string;
  /** Beside what every test gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** The user to run it as. */
  readonly uid?: number;
}

/** What a shell would start as `seriatim`: the built program, in a process of its own, ended with the test. */
export function start(args: readonly string[], { cwd, env = {}, uid }: StartOptions = {}): ChildProcess {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
    ...(uid === undefined ? {} : { uid }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

/** Runs `seriatim` to its end. */
export async function seriatim(args: readonly string[], options: StartOptions = {}): Promise<Finished> {
  return finished(start(args, options));
}

export async function finished(child: ChildProcess): Promise<Finished> {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error("the child has no pipes");
  const [out, error, [code]] = await Promise.all([text(stdout), text(stderr), once(child, "close")]);
  return { code: code as number | null, stdout: out, stderr: error };
}

/** Lines of a running command's stdout, one at a time. */
export class Lines {
  readonly #lines: AsyncIterator<string>;
  readonly #interface: Interface;

  constructor({ stdout }: ChildProcess) {
    if (stdout === null) throw new Error("the child has no pipes");
    this.#interface = createInterface({ input: stdout });
    this.#lines = this.#interface[Symbol.asyncIterator]();
  }

  async next(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error("the command ended before it printed another line");
    return value;
  }

  close(): void {
    this.#interface.close();
  }
}

/** Within what time a command ends after a signal, in ms: a second, and as long again on a machine with other work. */
export const promptly = 2_000;

/** Sends a signal, and waits for the end. */
export async function end(
  child: ChildProcess,
  signal: "SIGINT" | "SIGTERM",
): Promise<{ readonly code: number | null; readonly ms: number }> {
  const closed = once(child, "exit");
  const at = performance.now();
  child.kill(signal);
  const [code] = await closed;
  return { code: code as number | null, ms: performance.now() - at };
}

export function json(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>;
}

export function jsonLines(output: string): Record<string, unknown>[] {
  return output.trimEnd().split("\n").map(json);
}
