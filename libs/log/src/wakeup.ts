/**
 * Lets one reader wait for something to change. A change that came since the last wait ended is not lost: the next
 * wait ends at once.
 */
export class Wakeup {
  #isDue = false;
  #wake: (() => void) | undefined;

  /** There is something new to look at. */
  readonly notify = (): void => {
    this.#isDue = true;
    this.#wake?.();
  };

  /** Resolves at the next `notify`, or when `signal` fires. */
  async wait(signal: AbortSignal): Promise<void> {
    if (!this.#isDue && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", this.notify, { once: true });
      });
      this.#wake = undefined;
      signal.removeEventListener("abort", this.notify);
    }
    this.#isDue = false;
  }
}
