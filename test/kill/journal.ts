import type { Version } from "@seriatim/protocol";
import type { Line } from "./member.ts";

/** One addition to a counter, as its agent told of it. */
export interface Action {
  readonly name: string;
  readonly ledger: string;
  /** Whether its name is a business id, so that its intents' ids derive from it. */
  readonly business: boolean;
  /** The ids of its intents, where they do not derive from its name. */
  readonly intents: string[];
  /** What was acknowledged, each time that it was. */
  readonly acknowledged: { readonly count: number; readonly version: Version }[];
}

/** What the agents said, each line before its agent went on. */
export class Journal {
  readonly actions = new Map<string, Action>();
  /** How many acknowledgements were heard. */
  acknowledgements = 0;
  /** How often each agent was acknowledged something, and each viewer has looked. */
  readonly successes = new Map<string, number>();
  /** The longest time without an acknowledgement, in ms, from the first one on. */
  longestQuiet = 0;
  /** Failures by code: none says what became of the action, all were looked into. */
  readonly failures = new Map<string, number>();
  readonly violations: string[] = [];
  readonly #listeners = new Set<() => void>();
  #acknowledgedAt = Number.POSITIVE_INFINITY;

  hear(who: string, line: Line): void {
    switch (line.kind) {
      case "ready":
        return;
      case "begun":
        if (!this.actions.has(line.action)) this.actions.set(line.action, begun(line));
        return;
      case "intent":
        this.actions.get(line.action)?.intents.push(line.intent);
        return;
      case "failed":
        this.failures.set(line.code, (this.failures.get(line.code) ?? 0) + 1);
        return;
      case "acknowledged":
        this.actions.get(line.action)?.acknowledged.push({ count: line.count, version: line.version });
        this.#succeeded(who);
        this.#acknowledged();
        return;
      case "looked":
        this.#succeeded(who);
        if (!line.whole) this.violations.push(`${who} saw a count of ${line.count} with ${line.entries} entries`);
    }
  }

  #succeeded(who: string): void {
    this.successes.set(who, (this.successes.get(who) ?? 0) + 1);
  }

  #acknowledged(): void {
    const now = performance.now();
    this.longestQuiet = Math.max(this.longestQuiet, now - this.#acknowledgedAt);
    this.#acknowledgedAt = now;
    this.acknowledgements += 1;
    for (const listener of this.#listeners) listener();
  }

  /** Business that began and was not acknowledged is to be resumed under this number; else the next one. */
  pendingBusiness(agent: string): number {
    let number = 0;
    while ((this.actions.get(`${agent}.${number}`)?.acknowledged.length ?? 0) > 0) number += 1;
    return number;
  }

  /** Resolves with true after `count` more acknowledgements, or with false once none came for `quiet` ms. */
  async progress(count: number, quiet: number): Promise<boolean> {
    const goal = this.acknowledgements + count;
    return new Promise((resolve) => {
      const finish = (isReached: boolean): void => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
        resolve(isReached);
      };
      const listener = (): void => {
        timer.refresh();
        if (this.acknowledgements >= goal) finish(true);
      };
      const timer = setTimeout(() => finish(false), quiet);
      this.#listeners.add(listener);
    });
  }
}

function begun({ action, ledger, business }: Extract<Line, { readonly kind: "begun" }>): Action {
  return { name: action, ledger, business, intents: [], acknowledged: [] };
}
