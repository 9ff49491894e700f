import { describe, test, vi } from "vitest";
import { holds } from "./seeded.ts";
import { isSortedArray, takeAll } from "./tree-model.ts";

// So that few entries make many levels, and nodes are split, joined and dropped all the time.
vi.mock("../../services/sequencer/src/core/tree-sizes.ts", () => ({ mostEntries: 6, fewEntries: 2, mostJoined: 4 }));

describe("the memory tree, of small nodes", () => {
  test("is a sorted array with a horizon, and holds its invariants after each step", () => {
    holds("test/core/tree-of-small-nodes.test.ts", isSortedArray(100, 100), 400);
  });

  test("gives a branch that is joined to its neighbour the bound that its parent had for it", () => {
    takeAll([
      { kind: "run", from: 7, length: 9 },
      { kind: "run", from: 0, length: 6 },
      { kind: "write", keys: [17] },
      { kind: "run", from: 18, length: 1 },
      { kind: "write", keys: [19, 20, 21, 16, 22, 23] },
      { kind: "write", keys: [6] },
      { kind: "purge", share: 0.325 },
      // Below what is left of the right branch, whose first child is gone; then the branches are joined.
      { kind: "write", keys: [10] },
      { kind: "run", from: 2, length: 4 },
      { kind: "purge", share: 0.64 },
    ]);
  });
});
