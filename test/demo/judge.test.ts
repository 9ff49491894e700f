import { expect, test } from "vitest";
import { judge, violationsOf, type Claim, type Evidence } from "../../libs/seriatim/src/demo/judge.ts";

const seat = "seats-show-01/2026-03/seat-01";

let offset = 0;
function claim(key: string, agent = "agent-1"): Claim {
  offset += 1;
  const run = `run-${offset}`;
  return { agent, run, key, value: { agent, run }, version: { partition: 0, offset } };
}

function credit(customer: string, month: string, row: number): Claim {
  return claim(`credits-${customer}/${month}/run-${row}`);
}

/** What is found when everything that was claimed was written, in that order. */
function honest(claims: readonly Claim[]): Evidence {
  const standing = new Map<string, unknown>();
  const history = new Map<string, { version: Claim["version"]; value: unknown }[]>();
  for (const { key, value, version } of claims) {
    standing.set(key, value);
    history.set(key, [...(history.get(key) ?? []), { version, value }]);
  }
  return { standing, history, claims };
}

test("two credits a customer and month, and a seat sold once, keep the rules", () => {
  const claims = [
    credit("a", "2026-03", 1),
    credit("a", "2026-03", 2),
    credit("a", "2026-04", 3),
    credit("b", "2026-03", 4),
    claim(seat),
  ];
  const judgement = judge(honest(claims));
  expect(judgement).toEqual({ overLimit: new Map(), soldTwice: new Map(), lost: [] });
  expect(violationsOf(judgement)).toBe(0);
});

test("a third credit in a month breaks the limit, whoever was told of it", () => {
  const claims = [1, 2, 3, 4].map((row) => credit("a", "2026-03", row));
  const judgement = judge({ ...honest(claims), claims: [] });
  expect([...judgement.overLimit]).toEqual([["credits-a/2026-03/", 4]]);
  expect(violationsOf(judgement)).toBe(1);
});

test("a customer whose name begins like another's is another customer", () => {
  const claims = [credit("a", "2026-03", 1), credit("a", "2026-03", 2), credit("ab", "2026-03", 3)];
  expect(judge(honest(claims)).overLimit.size).toBe(0);
});

test("a seat that two were told they have is sold twice, and the first of them has lost it", () => {
  const claims = [claim(seat, "agent-1"), claim(seat, "agent-2")];
  const judgement = judge(honest(claims));
  expect(judgement.soldTwice.get(seat)?.map(({ agent }) => agent)).toEqual(["agent-1", "agent-2"]);
  expect(judgement.lost.map(({ agent }) => agent)).toEqual(["agent-1"]);
  expect(violationsOf(judgement)).toBe(1);
});

test("an acknowledged credit that is not there is lost, and breaks no rule", () => {
  const claims = [credit("a", "2026-03", 1)];
  const judgement = judge({ standing: new Map(), history: new Map(), claims });
  expect(judgement.lost).toEqual(claims);
  expect(violationsOf(judgement)).toBe(0);
});

test("an acknowledged write that the history has with another value or version is lost", () => {
  const one = claim(seat);
  const found = honest([one]);
  const other = { partition: 0, offset: one.version.offset + 1 };
  expect(judge({ ...found, history: new Map([[seat, [{ version: other, value: one.value }]]]) }).lost).toEqual([one]);
  expect(judge({ ...found, history: new Map([[seat, [{ version: one.version, value: 1 }]]]) }).lost).toEqual([one]);
});
