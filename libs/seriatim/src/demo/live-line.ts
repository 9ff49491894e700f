import type { Tally } from "./tally.ts";

/** How often the line is written anew, in ms: on a terminal, and elsewhere. */
const onTerminal = 100;
const elsewhere = 1000;

/** Shows on stderr how far the agents have come: one live line on a terminal, elsewhere a line every second. */
export class LiveLine {
  readonly #tally: Tally;
  readonly #runs: number;
  readonly #isLive = process.stderr.isTTY && process.env["TERM"] !== "dumb";
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(tally: Tally, runs: number) {
    this.#tally = tally;
    this.#runs = runs;
    this.#timer = setInterval(() => this.#show(), this.#isLive ? onTerminal : elsewhere);
  }

  /** Leaves the last state on the screen. */
  end(): void {
    clearInterval(this.#timer);
    this.#show();
    if (this.#isLive) process.stderr.write("\n");
  }

  #show(): void {
    const line = progressText(this.#tally, this.#runs, performance.now() - this.#began);
    process.stderr.write(this.#isLive ? `\r\u001b[2K${line}` : `${line}\n`);
  }
}

export function progressText({ commits, refusals, retries }: Tally, runs: number, ms: number): string {
  return `${(ms / 1000).toFixed(1)} s  commits ${commits} of ${runs}  refusals ${refusals}  retries ${retries}`;
}
