import { toKey, type Key } from "@seriatim/protocol";
import { restoredState, type MemoryState } from "@seriatim/sequencer";
import type { Part, Ratio } from "./report.ts";

const sizes = [1_000, 1_000_000] as const;

/** How many of each are timed together. */
const times = 50_000;

/** How many keys a range that is checked holds. */
const rangeKeys = 10;

interface Costs {
  readonly validate: number;
  readonly insert: number;
  readonly purge: number;
}

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
        { name: "inserting: a million keys / a thousand", value: many.insert / few.insert },
        { name: "purging: a million keys / a thousand", value: many.purge / few.purge },
      );
    const figures = costs.flatMap((cost, index) =>
      (Object.keys(cost) as (keyof Costs)[]).map((name) => ({
        name: `${name}, ${(sizes[index] ?? 0).toLocaleString("en-US")} keys`,
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
  // Twice: the first time warms up.
  validate(state, keys);
  const validateCost = validate(state, keys);
  const fresh = Array.from({ length: times }, (_, index) =>
    toKey(`table/${String(Math.floor(Math.random() * size)).padStart(8, "0")}/${index}`),
  );
  return { validate: validateCost, insert: insert(state, fresh, size), purge: purge(state, size) };
}

/** Written in the order given, all of them within the window. */
function stateOf(keys: readonly Key[]): MemoryState {
  const head = { position: { offset: keys.length, chain: "" as never }, time: 0 };
  return restoredState(keys.length + times, {
    head,
    writes: keys.map((key, index) => ({ key, version: index + 1 })),
    claims: [],
  });
}

/** Ranges anywhere, read at the newest snapshot: nothing conflicts, which is the case in which most is looked at. */
function validate(state: MemoryState, keys: readonly Key[]): number {
  const after = keys.length;
  const starts = Array.from({ length: times }, () => Math.floor(Math.random() * (keys.length - rangeKeys)));
  const ranges = starts.map((start) => ({ from: keys[start] as Key, to: keys[start + rangeKeys] as Key }));
  let found = 0;
  const begun = performance.now();
  for (const range of ranges) found += state.newestIn(range, after, 100).length;
  const cost = ((performance.now() - begun) * 1e6) / times;
  if (found > 0) throw new Error("nothing was written after the snapshot");
  return cost;
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
