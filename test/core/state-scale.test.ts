import { describe, expect, test } from "vitest";
import { grow } from "../../bench/state/grow.ts";

describe("2^18 records, nearly all of them with an id and a key of their own, through a window of 2^12", () => {
  const window = 2 ** 12;

  test("are decided at the end as by a model that forgets nothing, and the state has no more than the window", () => {
    const { state, compared, differing, outcomes } = grow(2 ** 18, window);
    expect(differing).toEqual([]);
    expect(compared).toBe(2 * window);
    expect([...outcomes.keys()].toSorted()).toEqual([
      "cancelled",
      "committed",
      "conflict",
      "id_reused",
      "repeated",
      "too_old",
    ]);
    // A record claims at most one id and writes at most two keys.
    expect(state.size.ids).toBeLessThanOrEqual(window);
    expect(state.size.ids).toBeGreaterThan(window * 0.8);
    expect(state.size.keys).toBeLessThanOrEqual(2 * window);
    expect(state.size.keys).toBeGreaterThan(window * 0.6);
    state.audit();
  });
});
