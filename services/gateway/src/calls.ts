/** What a session has been asked for, of tools and resources, and is being worked on. */
export class Calls {
  readonly #running = new Set<Promise<unknown>>();

  /** Those that began before now and have not ended, in whatever way that may be. */
  get running(): Promise<unknown>[] {
    return [...this.#running];
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    const done = work();
    const ended = done.catch(() => undefined);
    this.#running.add(ended);
    try {
      return await done;
    } finally {
      this.#running.delete(ended);
    }
  }

  /** Resolves when nothing is being worked on. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
