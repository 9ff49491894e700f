/** How long a check may take before it says how far it is, and how often it does, in ms. */
const patience = 1000;
const elsewhere = 5000;

/** Says on stderr how many records were read: one live line on a terminal, elsewhere a line now and then. */
export class Progress {
  readonly #isLive = process.stderr.isTTY && process.env["TERM"] !== "dumb";
  #next = performance.now() + patience;
  #isShown = false;

  readonly report = (records: number): void => {
    if (performance.now() < this.#next) return;
    this.#next = performance.now() + (this.#isLive ? patience / 4 : elsewhere);
    this.#isShown = true;
    const text = `read ${records.toLocaleString("en-US")} records`;
    process.stderr.write(this.#isLive ? `\r\u001b[2K${text}` : `${text}\n`);
  };

  end(): void {
    if (this.#isShown && this.#isLive) process.stderr.write("\r\u001b[2K");
  }
}
