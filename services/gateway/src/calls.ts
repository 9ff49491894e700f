/** Counts what is being worked on, so that an end can wait for it. */
export class Calls {
  #running = 0;
  readonly #idle: (() => void)[] = [];

  begin(): void {
    this.#running += 1;
  }

  end(): void {
    this.#running -= 1;
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** Resolves when nothing is being worked on. */
  async idle(): Promise<void> {
    if (this.#running === 0) return;
    await new Promise<void>((resolve) => {
      this.#idle.push(resolve);
    });
  }
}
