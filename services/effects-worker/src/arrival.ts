import type { Log } from "@seriatim/log";

/** After how long without a record a reader that is behind the log's end takes itself to be there, in ms. */
const quietFor = 5_000;

/** Whether a partition of a log was read as far as it reached at the beginning. */
export class Arrival {
  readonly arrived: Promise<void>;
  #goal = Number.POSITIVE_INFINITY;
  #next: number;
  #arrive: () => void = () => undefined;
  #quiet: NodeJS.Timeout | undefined;

  /** @param next where it is read on. */
  constructor(next: number) {
    this.#next = next;
    this.arrived = new Promise((resolve) => (this.#arrive = resolve));
  }

  async begin(log: Log, partition: number): Promise<void> {
    this.#goal = (await log.bounds(partition)).end;
    this.read(this.#next);
  }

  /** A log may end in a hole, which no reader sees: where nothing comes for a while, that is its end. */
  read(next: number): void {
    this.#next = next;
    clearTimeout(this.#quiet);
    if (next >= this.#goal) this.#arrive();
    else this.#quiet = setTimeout(this.#arrive, quietFor).unref();
  }

  end(): void {
    clearTimeout(this.#quiet);
  }
}
