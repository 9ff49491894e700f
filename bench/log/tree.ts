import { toKey, type Key } from "@seriatim/protocol";
import { restoredState, type MemoryState } from "@seriatim/sequencer";
import type { Part, Ratio } from "./report.ts";

const sizes = [1_000, 1_000_000] as const;

/** How many of each are timed together. */
const times = 50_000;

/** How many keys a range that is checked holds. */
const rangeKeys = 10;

const passes = 10;

/** How many writes came after the snapshot of the later of the two validations. */
const someWrites = 100;

interface Costs {
  readonly validate: number;
  readonly validateLate: number;
  readonly insert: number;
  readonly purge: number;
}

const names: Readonly<Record<keyof Costs, string>> = {
  validate: "validate a range, nothing written since",
  validateLate: `validate a range, ${someWrites} writes since`,
  insert: "insert a key",
  purge: "purge a key",
};

/** In ns each, with so many keys in the state. */
export const tree: Part = {
  name: "tree",
  about: "the state in memory: validating a range, inserting, purging, with few keys and with many",
  async run({ say }) {
    const costs: Costs[] = [];
    for (const size of sizes) {
      say(`${size.toLocaleString("en-US")} keys`);
      costs.push(measure(size));
    }
    const [few, many] = costs;
    const ratios: Ratio[] = [];
    if (few !== undefined && many !== undefined)
      ratios.push(
        {
          name: "validating a range: a million keys / a thousand",
          value: many.validate / few.validate,
          target: { most: 2 },
        },
        {
          name: `the same, ${someWrites} writes after the snapshot`,
          value: many.validateLate / few.validateLate,
          target: { most: 2 },
        },
        { name: "inserting: a million keys / a thousand", value: many.insert / few.insert },
        { name: "purging: a million keys / a thousand", value: many.purge / few.purge },
      );
    const figures = costs.flatMap((cost, index) =>
      (Object.keys(cost) as (keyof Costs)[]).map((name) => ({
        name: `${names[name]}, ${(sizes[index] ?? 0).toLocaleString("en-US")} keys`,
        value: cost[name],
        unit: "ns each",
      })),
    );
    return { part: "tree", figures, ratios };
  },
};

function measure(size: number): Costs {
  const keys = Array.from({ length: size }, (_, index) => toKey(`table/${String(index).padStart(8, "0")}`));
  const state = stateOf(shuffled(keys));
  const validateCosts = { validate: validate(state, keys, 0), validateLate: validate(state, keys, someWrites) };
  const fresh = Array.from({ length: times }, (_, index) =>
    toKey(`table/${String(Math.floor(Math.random() * size)).padStart(8, "0")}/${index}`),
  );
  return { ...validateCosts, insert: insert(state, fresh, size), purge: purge(state, size) };
}

/** Written in the order given, all of them within the window. */
function stateOf(keys: readonly Key[]): MemoryState {
  const head = { position: { offset: keys.length, chain: "" as never }, time: 0 };
  return restoredState(keys.length + times, {
    head,
    writes: keys.map((key, index) => ({ key, version: index + 1 })),
    claims: [],
    holds: [],
  });
}

/**
 * Ranges anywhere, read `lag` writes ago: at 0 nothing was written since. The quickest of some passes, since what else
 * the machine does is not to be measured.
 */
function validate(state: MemoryState, keys: readonly Key[], lag: number): number {
  const after = keys.length - lag;
  const ranges = Array.from({ length: times }, () => {
    const start = Math.floor(Math.random() * (keys.length - rangeKeys));
    return { from: copyOf(keys[start]), to: copyOf(keys[start + rangeKeys]) };
  });
  const costs = Array.from({ length: passes }, () => {
    const begun = performance.now();
    for (const range of ranges) state.newestIn(range, after, 100);
    return ((performance.now() - begun) * 1e6) / times;
  });
  return Math.min(...costs);
}

/** Where a decision finds it: decoded just now, and not among all keys. */
function copyOf(key: Key | undefined): Key {
  return Buffer.from(key ?? "", "latin1").toString("latin1") as Key;
}

function insert(state: MemoryState, keys: readonly Key[], size: number): number {
  const begun = performance.now();
  for (const [index, key] of keys.entries()) state.noteWrite(key, size + 1 + index);
  return ((performance.now() - begun) * 1e6) / keys.length;
}

/** Moves the head on, so that the oldest writes leave the window one by one. */
function purge(state: MemoryState, size: number): number {
  const count = Math.min(size, times);
  const position = { offset: 0, chain: "" as never };
  const begun = performance.now();
  for (let gone = 1; gone <= count; gone += 1)
    state.moveTo({ position: { ...position, offset: size + times + gone }, time: 0 });
  return ((performance.now() - begun) * 1e6) / count;
}

function shuffled<T>(items: readonly T[]): T[] {
  const mixed = [...items];
  for (let index = mixed.length - 1; index > 0; index -= 1) {
    const other = Math.floor(Math.random() * (index + 1));
    [mixed[index], mixed[other]] = [mixed[other] as T, mixed[index] as T];
  }
  return mixed;
}
