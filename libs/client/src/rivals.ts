import { inRange, type Key, type KeyRange, type Offset } from "@seriatim/protocol";
import type { Decision } from "@seriatim/view";
import type { Space } from "./space.ts";
import type { Schedule } from "./waiting.ts";

/** So many decisions back it is looked for who waits: whoever was refused longer ago has gone, or will not be missed. */
const lookBack = 64;

/** So many of this coordinator's own refusals are told from those of others. */
const mostOwn = 1_000;

/** Somebody of another coordinator who was refused, and has committed nothing since. */
interface Rival {
  readonly agent: string | null;
  readonly offset: Offset;
}

/** Where in the order of refusals a run stands: behind those who were refused before it. */
export interface Place {
  readonly partition: number;
  /** Of its own refusal; infinite for who has had none, and comes last. */
  readonly offset: Offset;
}

/**
 * The line for what is contended for, as the log shows it to every process alike: whoever was refused over it and has not
 * committed since, in the order of the refusals. Like the turns within a coordinator it is a courtesy, and bounded.
 */
export class Rivals {
  readonly #space: Space;
  readonly #schedule: Schedule;
  readonly #own = new Set<string>();
  /** The last few of each partition, the newest last. */
  readonly #decisions = new Map<number, Decision[]>();

  constructor(space: Space, schedule: Schedule) {
    this.#space = space;
    this.#schedule = schedule;
  }

  /** An intent of this coordinator was refused: its run takes its turn within the coordinator. */
  noteOwn(intent: string): void {
    this.#own.add(intent);
    if (this.#own.size <= mostOwn) return;
    for (const oldest of this.#own) return void this.#own.delete(oldest);
  }

  /** Waits until those who come first have gone, but no longer than `patience` ms for each of them. */
  async goFirst(name: string, place: Place, patience: number, signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const first = this.#first(name, place);
      if (first === undefined || !(await this.#leaves(name, place, first, patience, signal))) return;
    }
  }

  /** Resolves with whether the first one has left in time. */
  async #leaves(
    name: string,
    place: Place,
    first: Rival,
    patience: number,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (hasLeft: boolean): void => {
        cancel();
        unsubscribe();
        signal?.removeEventListener("abort", onAbort);
        resolve(hasLeft);
      };
      const onAbort = (): void => settle(false);
      const cancel = this.#schedule(() => settle(false), patience);
      const unsubscribe = this.#space.subscribe(() => {
        if (this.#first(name, place)?.offset !== first.offset) settle(true);
      });
      signal?.addEventListener("abort", onAbort, { once: true });
      if (signal?.aborted === true) onAbort();
      // What came between the look and the subscription.
      if (this.#first(name, place)?.offset !== first.offset) settle(true);
    });
  }

  #first(name: string, { partition, offset: before }: Place): Rival | undefined {
    const waiting: Rival[] = [];
    for (const decision of this.#lately(partition)) this.#follow(decision, name, waiting);
    return waiting.find(({ offset }) => offset < before);
  }

  /** The last few decisions; each is read from the view once. */
  #lately(partition: number): readonly Decision[] {
    const { view } = this.#space;
    const to = view.applied(partition);
    const lately = this.#decisions.get(partition) ?? [];
    const from = Math.max(lately.at(-1)?.offset ?? -1, to - lookBack);
    if (to <= from) return lately;
    for (const decision of view.decisions(partition, from, to)) lately.push(decision);
    if (lately.length > lookBack) lately.splice(0, lately.length - lookBack);
    this.#decisions.set(partition, lately);
    return lately;
  }

  #follow({ agent, id, offset, outcome }: Decision, name: string, waiting: Rival[]): void {
    const at = waiting.findIndex((rival) => rival.agent === agent);
    if (outcome.kind === "committed" && at >= 0) waiting.splice(at, 1);
    if (outcome.kind !== "refused" || at >= 0 || (id !== null && this.#own.has(id))) return;
    if (outcome.conflicts.some(({ key }) => isNamed(key, name))) waiting.push({ agent, offset });
  }
}

function isNamed(key: Key, name: string): boolean {
  const [from = "", to] = name.split("\0");
  return to === undefined ? key === from : inRange(key, { from, to } as KeyRange);
}
