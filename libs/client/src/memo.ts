import { canonicalJson } from "./values.ts";

type Remember = <I, T>(inputs: I, fn: (inputs: I) => T | Promise<T>) => Promise<T>;

/** Results kept over the attempts of one run, by their inputs. */
export class Memo {
  readonly #kept = new Map<string, unknown>();

  /**
   * Calls that run at the same time with equal inputs share one result, but only within an attempt: one that another
   * attempt left behind may still end with that attempt's abort.
   */
  forAttempt(): Remember {
    const running = new Map<string, Promise<unknown>>();
    return async <I, T>(inputs: I, fn: (inputs: I) => T | Promise<T>): Promise<T> => {
      const name = canonicalJson(inputs, "inputs");
      if (this.#kept.has(name)) return this.#kept.get(name) as T;
      const existing = running.get(name);
      if (existing !== undefined) return (await existing) as T;
      const call = this.#call(name, inputs, fn);
      running.set(name, call);
      try {
        return await call;
      } finally {
        running.delete(name);
      }
    };
  }

  async #call<I, T>(name: string, inputs: I, fn: (inputs: I) => T | Promise<T>): Promise<T> {
    const result = await fn(inputs);
    this.#kept.set(name, result);
    return result;
  }
}
