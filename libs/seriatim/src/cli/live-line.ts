/** How often the line is written anew, in ms: on a terminal, and elsewhere. */
const onTerminal = 100;
const elsewhere = 1000;

/** Shows on stderr how far something has come: one live line on a terminal, elsewhere a line each second, if it is new. */
export class LiveLine {
  readonly #text: (ms: number) => string;
  readonly #isLive = process.stderr.isTTY && process.env["TERM"] !== "dumb";
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout;
  #shown = "";

  /** @param text is given for how long it has been shown. */
  constructor(text: (ms: number) => string) {
    this.#text = text;
    this.#timer = setInterval(() => this.#show(), this.#isLive ? onTerminal : elsewhere);
  }

  /** Leaves the last state on the screen. */
  end(): void {
    clearInterval(this.#timer);
    this.#show();
    if (this.#isLive) process.stderr.write("\n");
  }

  #show(): void {
    const line = this.#text(performance.now() - this.#began);
    if (line === this.#shown) return;
    this.#shown = line;
    process.stderr.write(this.#isLive ? `\r\u001b[2K${line}` : `${line}\n`);
  }
}
