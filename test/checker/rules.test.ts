import { writeFileSync } from "node:fs";
import { loadRules, RuleWatch, type RuleCommit } from "@seriatim/checker";
import { describe, expect, test } from "vitest";
import { temporaryFile } from "../support/temporary.ts";

async function watched(name: string, content: string): Promise<RuleWatch> {
  const path = temporaryFile(name);
  writeFileSync(path, content);
  const [kind] = await loadRules(path);
  if (kind === undefined) throw new Error("no rule");
  return new RuleWatch(kind);
}

let offset = 0;
function commit(writes: Readonly<Record<string, unknown>>, partition = 0): RuleCommit {
  offset += 1;
  const entries = Object.entries(writes).map(([key, value]) => ({ key, value }));
  return { partition, offset, time: offset, agent: "agent", id: `id-${offset}`, writes: entries };
}

describe("a rule in JSON", () => {
  test("counts the keys of each group, and each time that a commit breaks it", async () => {
    const rule = await watched("rule.json", '{ "prefix": "credits/", "groupBy": [1, 2], "max": 1 }');
    expect(rule.commit(commit({ "credits/ann/july/1": 1, "credits/bob/july/1": 1, "other/ann/july": 1 }))).toEqual([]);
    expect(rule.commit(commit({ "credits/ann/july/2": 1 }))).toMatchObject([{ group: "ann/july" }]);
    expect(rule.commit(commit({ "credits/ann/july/3": 1 }))).toEqual([]);
    expect(rule.standing.size).toBe(1);
    expect(rule.commit(commit({ "credits/ann/july/2": undefined, "credits/ann/july/3": undefined }))).toEqual([]);
    expect(rule.standing.size).toBe(0);
    expect(rule.commit(commit({ "credits/ann/july/4": 1 }))).toHaveLength(1);
    expect(rule).toMatchObject({ breaks: 2, evaluated: 5 });
  });

  test("adds up a field, in each partition by itself", async () => {
    const rule = await watched(
      "rule.json",
      '[{ "prefix": "spent/", "groupBy": 2, "sum": { "field": "cost.eur", "max": 30 } }]',
    );
    expect(rule.commit(commit({ "spent/ann/1": { cost: { eur: 20 } } }))).toEqual([]);
    expect(rule.commit(commit({ "spent/ann/2": { cost: { eur: 20 } } }, 1))).toEqual([]);
    expect(rule.commit(commit({ "spent/ann/1": { cost: { eur: 30 } } }))).toEqual([]);
    expect(rule.commit(commit({ "spent/ann/3": { cost: { eur: 0.5 } } }))).toMatchObject([
      { partition: 0, group: "spent/ann" },
    ]);
  });

  test.each([
    ["{", "it is not JSON"],
    ['{ "prefix": "a/", "max": 1, "sum": { "max": 2 } }', "max, or sum, and not both"],
    ['{ "prefix": "a/" }', "max, or sum, and not both"],
    ['{ "prefix": 3, "max": 1 }', "prefix is no text"],
    ['{ "prefix": "a/", "max": 1, "group": 2 }', 'it has "group"'],
    ['{ "prefix": "a/", "max": 1, "groupBy": -1 }', "groupBy"],
    ['{ "prefix": "a/", "sum": { "field": "x" } }', "sum.max is no number"],
  ])("%s is none", async (content, message) => {
    await expect(watched("rule.json", content)).rejects.toThrow(message);
  });
});

describe("a rule in JavaScript", () => {
  test("is any predicate over what stands", async () => {
    const rule = await watched(
      "rule.mjs",
      `export const name = "one is on call";
       export const prefix = "duty/";
       export default (state) => [...state.values()].includes(true) || "nobody is on call";`,
    );
    expect(rule.name).toBe("one is on call");
    expect(rule.commit(commit({ "duty/ann": true, "duty/bob": true }))).toEqual([]);
    expect(rule.commit(commit({ "duty/ann": false }))).toEqual([]);
    expect(rule.commit(commit({ "duty/bob": undefined }))).toMatchObject([{ message: "nobody is on call" }]);
  });

  test("must export a function", async () => {
    await expect(watched("rule.mjs", "export default 3;")).rejects.toThrow("default export is no function");
  });
});
