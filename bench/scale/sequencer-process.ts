import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../../libs/seriatim/dist/main.js", import.meta.url));

/** Of Linux' accounting, in µs. */
const tick = 10_000;

export interface SequencerPlace {
  readonly brokers: readonly string[];
  readonly space: string;
  readonly view: string;
}

/** The command `seriatim sequencer`, in a process of its own. */
export class SequencerProcess {
  readonly #child: ChildProcess;
  readonly #news: NodeJS.EventEmitter;
  /** What its group has assigned to it last. */
  assigned: readonly number[] = [];

  /** @param flags how it shares the partitions */
  constructor({ brokers, space, view }: SequencerPlace, ...flags: readonly string[]) {
    const where = ["--brokers", brokers.join(","), "--space", space, "--view", view];
    const child = spawn(process.execPath, [main, "sequencer", ...where, ...flags], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    child.stdout.resume();
    this.#news = createInterface({ input: child.stderr });
    this.#news.on("line", (line: string) => {
      const { msg, partitions } = JSON.parse(line) as { readonly msg: string; readonly partitions?: readonly number[] };
      if (msg === "assigned" && partitions !== undefined) this.assigned = partitions;
    });
    const killAtExit = (): boolean => child.kill("SIGKILL");
    process.once("exit", killAtExit);
    child.once("exit", () => process.off("exit", killAtExit));
  }

  async untilAssigned(count: number): Promise<void> {
    while (this.assigned.length !== count) await once(this.#news, "line");
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Resident memory, in bytes. Linux only. */
  get memory(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) * 1024;
  }

  /** Processor time used, in µs. Linux only. */
  get processor(): number {
    const stat = readFileSync(`/proc/${this.#child.pid}/stat`, "utf8");
    // After the name, which is in brackets, user and system time are the 12th and 13th field.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * tick;
  }

  async end(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, "exit");
    this.#child.kill(signal);
    await gone;
  }
}
