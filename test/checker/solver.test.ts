import { describe, expect, test } from "vitest";
import { rw, wr, ww } from "../../libs/checker/src/graph/graph.ts";
import { edge } from "../../libs/checker/src/judge/foreign/builder.ts";
import type { Choice, Edge } from "../../libs/checker/src/judge/foreign/problem.ts";
import { onePoint, solve, startAndCommit } from "../../libs/checker/src/judge/foreign/solver.ts";
import { Random } from "./random.ts";

const nodes = 5;
const runs = 3000;

/** Sides of any edges at all: histories seldom make the search take anything back, and these do. */
function randomProblem(random: Random): { readonly edges: readonly Edge[]; readonly choices: readonly Choice[] } {
  const kinds = [ww, wr, rw];
  const some = (most: number): Edge[] =>
    Array.from({ length: 1 + random.below(most) }, () => {
      const from = random.below(nodes);
      return edge(from, (from + 1 + random.below(nodes - 1)) % nodes, kinds[random.below(3)] ?? ww, {});
    });
  const choices = Array.from({ length: 1 + random.below(6) }, () => ({ first: some(2), second: some(2) }));
  return { edges: random.chance(0.5) ? some(2) : [], choices };
}

/** Whether one of all ways to take sides leaves no cycle. */
function isPossible(edges: readonly Edge[], choices: readonly Choice[], isSnapshot: boolean): boolean {
  const [choice, ...others] = choices;
  if (choice === undefined) return isAcyclic(edges, isSnapshot);
  return [choice.first, choice.second].some((side) => isPossible([...edges, ...side], others, isSnapshot));
}

/** A cycle counts; under snapshot isolation, unless two anti-dependencies follow one another in it. */
function isAcyclic(edges: readonly Edge[], isSnapshot: boolean): boolean {
  const finished = new Set<string>();
  const canFinish = (node: number, byAnti: boolean, path: readonly string[]): boolean => {
    const place = `${node} ${byAnti}`;
    if (path.includes(place)) return false;
    if (finished.has(place)) return true;
    const isSound = edges
      .filter(({ from, kind }) => from === node && !(byAnti && kind === rw))
      .every(({ to, kind }) => canFinish(to, isSnapshot && kind === rw, [...path, place]));
    finished.add(place);
    return isSound;
  };
  return Array.from({ length: nodes }, (_, node) => node).every((node) => canFinish(node, false, []));
}

describe("the search for an order, and all ways to take sides", () => {
  test.each([
    ["serializable", false],
    ["snapshot isolation", true],
  ])("agree: %s", (_, isSnapshot) => {
    let held = 0;
    for (let seed = 1; seed <= runs; seed += 1) {
      const { edges, choices } = randomProblem(new Random(seed));
      const truth = isPossible(edges, choices, isSnapshot);
      const { answer } = solve(edges, choices, isSnapshot ? startAndCommit(nodes) : onePoint(nodes));
      expect(answer, `seed ${seed}`).toBe(truth ? "holds" : "violated");
      held += truth ? 1 : 0;
    }
    expect(held).toBeGreaterThan(runs / 10);
    expect(held).toBeLessThan((runs * 9) / 10);
  });
});

describe("the search is bounded", () => {
  test("many writes that nothing orders have an order at once", () => {
    const count = 400;
    const choices = Array.from({ length: count }, (_, a) =>
      Array.from({ length: a }, (__, b) => ({
        first: [edge(b, a, ww, {}), edge(count + b, a, rw, {})],
        second: [edge(a, b, ww, {}), edge(count + a, b, rw, {})],
      })),
    ).flat();
    const reads = Array.from({ length: count }, (_, writer) => edge(writer, count + writer, wr, {}));
    expect(solve(reads, choices, onePoint(2 * count)).answer).toBe("holds");
    expect(solve(reads, choices, startAndCommit(2 * count)).answer).toBe("holds");
  });
});
