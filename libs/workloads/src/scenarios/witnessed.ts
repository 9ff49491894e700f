import type { Item, Transaction } from "@seriatim/client";
import type { Step } from "./step.ts";

/** A transaction of which is written down what was seen and done. */
export interface Witnessed {
  get<T = unknown>(key: string): Promise<T | undefined>;
  scan<T = unknown>(prefix: string): Promise<Item<T>[]>;
  put(key: string, value: unknown): void;
  defer(effect: string, args: unknown, lane?: string): void;
}

export function witnessed(tx: Transaction, steps: Step[]): Witnessed {
  const { agent } = tx;
  return {
    async get<T>(key: string) {
      const value = await tx.get<T>(key);
      steps.push({ agent, kind: "reads", key, value });
      return value;
    },
    async scan<T>(prefix: string) {
      const items = await tx.scan<T>({ prefix });
      steps.push({ agent, kind: "finds", prefix, keys: items.map(({ key }) => key) });
      return items;
    },
    put(key, value) {
      tx.put(key, value);
      steps.push({ agent, kind: "writes", key, value });
    },
    defer(effect, args, lane) {
      tx.defer(effect, args, { lane });
      steps.push({ agent, kind: "defers", effect: lane === undefined ? effect : `${effect} on lane ${lane}` });
    },
  };
}
