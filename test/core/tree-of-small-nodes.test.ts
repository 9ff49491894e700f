import { describe, test, vi } from "vitest";
import { holds } from "./seeded.ts";
import { isSortedArray } from "./tree-model.ts";

// So that few entries make many levels, and nodes are split, joined and dropped all the time.
vi.mock("../../services/sequencer/src/core/tree-sizes.ts", () => ({ mostEntries: 6, fewEntries: 2, mostJoined: 4 }));

describe("the memory tree, of small nodes", () => {
  test("is a sorted array with a horizon, and holds its invariants after each step", () => {
    holds("test/core/tree-of-small-nodes.test.ts", isSortedArray(100, 100), 400);
  });
});
