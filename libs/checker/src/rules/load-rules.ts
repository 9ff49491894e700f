import { readFile } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "@seriatim/protocol";
import { limitRule, type LimitRule } from "./limit-rule.ts";
import { moduleRule, type RuleModule } from "./module-rule.ts";
import type { RuleKind } from "./rule.ts";

/**
 * The rules in a file: a JSON object, a list of them, or a JavaScript module (.js, .mjs, .cjs).
 * @throws Failure `invalid_argument` naming the file and what is wrong.
 */
export async function loadRules(path: string): Promise<readonly RuleKind[]> {
  if (/\.[cm]?js$/.test(path)) return [await loadModule(path)];
  const content = parse(await read(path), path);
  return (Array.isArray(content) ? content : [content]).map((rule: unknown) => limitRule(limitFrom(rule, path)));
}

async function loadModule(path: string): Promise<RuleKind> {
  let module: Partial<RuleModule>;
  try {
    module = (await import(pathToFileURL(resolve(path)).href)) as Partial<RuleModule>;
  } catch (cause) {
    throw new Failure("invalid_argument", `the rule in ${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
  const { default: predicate, name, prefix } = module;
  if (typeof predicate !== "function") throw wrong(path, "its default export is no function of (state, commit)");
  for (const text of [name, prefix])
    if (text !== undefined && typeof text !== "string") throw wrong(path, "its exports `name` and `prefix` are texts");
  return moduleRule(module as RuleModule, basename(path));
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new Failure("invalid_argument", `the rule file ${path} cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function parse(text: string, path: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw wrong(path, `it is not JSON (${messageOf(cause)}), and its name does not end in .js, .mjs or .cjs`);
  }
}

const known = new Set(["name", "prefix", "groupBy", "max", "sum"]);

function limitFrom(rule: unknown, path: string): LimitRule {
  if (typeof rule !== "object" || rule === null)
    throw wrong(path, "a rule is an object, { prefix, groupBy, max | sum }");
  const { name, prefix, groupBy = 0, max, sum } = rule as Readonly<Record<string, unknown>>;
  const other = Object.keys(rule).find((field) => !known.has(field));
  if (other !== undefined) throw wrong(path, `it has ${JSON.stringify(other)}; a rule has ${[...known].join(", ")}`);
  if (typeof prefix !== "string") throw wrong(path, "prefix is no text");
  if (name !== undefined && typeof name !== "string") throw wrong(path, "name is no text");
  if ((max === undefined) === (sum === undefined)) throw wrong(path, "it has max, or sum, and not both");
  const segments = segmentsFrom(groupBy, path);
  if (max !== undefined) return { name, prefix, segments, sum: null, max: numberFrom(max, "max", path) };
  const { field, max: most } = Object(sum) as { readonly field?: unknown; readonly max?: unknown };
  if (field !== undefined && typeof field !== "string") throw wrong(path, "sum.field is no text");
  const names = field === undefined ? [] : field.split(".");
  return { name, prefix, segments, sum: { field: names }, max: numberFrom(most, "sum.max", path) };
}

function segmentsFrom(groupBy: unknown, path: string): readonly number[] {
  if (isCount(groupBy)) return Array.from({ length: groupBy }, (_, index) => index);
  if (Array.isArray(groupBy) && groupBy.every(isCount)) return groupBy;
  throw wrong(path, "groupBy is neither a number of leading segments nor a list of segments, counted from 0");
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 512;
}

function numberFrom(value: unknown, name: string, path: string): number {
  if (typeof value === "number") return value;
  throw wrong(path, `${name} is no number`);
}

function wrong(path: string, what: string): Failure {
  return new Failure("invalid_argument", `the rule in ${path} is none: ${what}`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
