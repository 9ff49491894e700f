import { expect, test } from "vitest";
import { laterMonth, makePlan, mostCredits } from "../../libs/seriatim/src/demo/plan.ts";

const sizes = { agents: 8, runs: 200 };

test("the same seed gives the same plan, another seed another one", () => {
  expect(makePlan({ seed: 1, ...sizes })).toEqual(makePlan({ seed: 1, ...sizes }));
  expect(makePlan({ seed: 2, ...sizes })).not.toEqual(makePlan({ seed: 1, ...sizes }));
});

test.each([
  { agents: 8, runs: 200 },
  { agents: 3, runs: 20 },
  { agents: 5, runs: 3 },
  { agents: 1, runs: 1 },
])("$agents agents share $runs runs evenly, each run once", ({ agents, runs }) => {
  const { wishes } = makePlan({ seed: 7, agents, runs });
  const lengths = wishes.map(({ length }) => length);
  expect(lengths).toHaveLength(agents);
  expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
  expect(new Set(wishes.flat().map(({ run }) => run)).size).toBe(runs);
});

test("in the first round more agents turn to one customer than may give a credit", () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const { wishes } = makePlan({ seed, agents: 4, runs: 40 });
    const firsts = wishes.map(([wish]) => (wish?.kind === "credit" ? wish.customer : undefined));
    const most = Math.max(...firsts.map((one) => firsts.filter((other) => other === one).length));
    expect(most).toBeGreaterThan(mostCredits);
  }
});

test("every show has fewer seats than want one", () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const { wishes, shows, seats } = makePlan({ seed, ...sizes });
    for (const show of shows) {
      const wanting = wishes.flat().filter((wish) => wish.kind === "seat" && wish.show === show);
      expect(wanting.length).toBeGreaterThan(seats.length);
    }
  }
});

test("months are counted over the end of a year", () => {
  expect(laterMonth("2026-03", 0)).toBe("2026-03");
  expect(laterMonth("2026-11", 2)).toBe("2027-01");
  expect(laterMonth("2026-12", 1)).toBe("2027-01");
});
