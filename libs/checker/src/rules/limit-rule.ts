import type { GroupState, Rule, RuleCommit, RuleKind, RuleWrite } from "./rule.ts";

/** A limit on groups of keys, as JSON says it. */
export interface LimitRule {
  /** What it is called; made of the rest unless given. */
  readonly name?: string | undefined;
  /** Which keys it is about. */
  readonly prefix: string;
  /** Keys are grouped by these segments, counted from 0; by none, all of them are one group. */
  readonly segments: readonly number[];
  /** What of a key's value is added up; null counts each key as one. */
  readonly sum: { readonly field: readonly string[] } | null;
  /** The most that a group may have. */
  readonly max: number;
}

export function limitRule(limit: LimitRule): RuleKind {
  const { prefix, sum, max } = limit;
  const what = sum === null ? `at most ${max} keys` : `${["value", ...sum.field].join(".")} sums up to at most ${max}`;
  const name = limit.name ?? `${what} under ${JSON.stringify(prefix)}`;
  return { name, create: () => new LimitState(name, limit) };
}

interface Standing {
  readonly group: string;
  readonly amount: number;
}

/** What each key adds to its group, and what each group has. */
class LimitState implements Rule {
  readonly name: string;
  readonly #limit: LimitRule;
  readonly #keys = new Map<string, Standing>();
  readonly #groups = new Map<string, number>();

  constructor(name: string, limit: LimitRule) {
    this.name = name;
    this.#limit = limit;
  }

  apply({ writes }: RuleCommit): readonly GroupState[] {
    const touched = new Set<string>();
    for (const write of writes) if (write.key.startsWith(this.#limit.prefix)) touched.add(this.#note(write));
    return [...touched].map((group) => ({ group, fault: this.#faultOf(group) }));
  }

  #note({ key, value }: RuleWrite): string {
    const before = this.#keys.get(key);
    const group = before?.group ?? this.#groupOf(key);
    const amount = value === undefined ? 0 : this.#amountOf(value);
    const total = (this.#groups.get(group) ?? 0) - (before?.amount ?? 0) + amount;
    if (value === undefined) this.#keys.delete(key);
    else this.#keys.set(key, { group, amount });
    if (total === 0) this.#groups.delete(group);
    else this.#groups.set(group, total);
    return group;
  }

  #groupOf(key: string): string {
    const segments = key.split("/");
    return this.#limit.segments.map((index) => segments[index] ?? "").join("/");
  }

  /** What is no number adds nothing. */
  #amountOf(value: unknown): number {
    const { sum } = this.#limit;
    if (sum === null) return 1;
    let found = value;
    for (const name of sum.field) found = Object(found)[name] as unknown;
    return typeof found === "number" ? found : 0;
  }

  #faultOf(group: string): string | undefined {
    const { max, sum } = this.#limit;
    const total = this.#groups.get(group) ?? 0;
    if (total <= max) return undefined;
    const name = group === "" ? this.#limit.prefix : group;
    return sum === null
      ? `${total} keys stand in ${name}, and ${max} are allowed`
      : `${total} stands in ${name}, and ${max} is allowed`;
  }
}
