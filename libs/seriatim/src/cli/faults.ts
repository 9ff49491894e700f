import { isFailure } from "@seriatim/protocol";
import { BadArguments } from "./exit-codes.ts";

/** Gathers what is wrong with a command line, so that a person is told everything at once. */
export class Faults {
  readonly #found: string[] = [];

  add(fault: string): void {
    this.#found.push(fault);
  }

  /** What `check` returns; undefined, and its message noted, when it throws a Failure. */
  from<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      if (!isFailure(error)) throw error;
      this.add(error.message);
      return undefined;
    }
  }

  /** The same for what takes its time. */
  async fromPromise<T>(checking: Promise<T>): Promise<T | undefined> {
    try {
      return await checking;
    } catch (error) {
      return this.from<T>(() => {
        throw error;
      });
    }
  }

  /** @throws BadArguments when anything was found. */
  check(): void {
    if (this.#found.length > 0) throw new BadArguments(this.#found);
  }
}
