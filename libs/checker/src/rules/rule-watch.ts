import { fromBytes, type Offset } from "@seriatim/protocol";
import type { DecidedRecord } from "../audit/decided.ts";
import type { Rule, RuleCommit, RuleKind } from "./rule.ts";
import { valueOf } from "./values.ts";

/** A commit that broke a rule. */
export interface Breach {
  readonly partition: number;
  readonly offset: Offset;
  readonly time: number;
  readonly agent: string | null;
  readonly id: string | null;
  readonly group: string;
  /** A sentence. */
  readonly message: string;
}

/**
 * Watches one rule over the commits of a space, in one state for each partition: there is no one order over partitions in
 * which it could be evaluated. Give it every record, in order of offset.
 */
export class RuleWatch {
  readonly name: string;
  /** How many commits broke it in a group where it held before. */
  breaks = 0;
  /** After how many commits it was looked at. */
  evaluated = 0;
  first: Breach | undefined;
  /** Groups in which it does not hold now. */
  readonly standing = new Map<string, Breach>();
  readonly #kind: RuleKind;
  readonly #rules = new Map<number, Rule>();

  constructor(kind: RuleKind) {
    this.name = kind.name;
    this.#kind = kind;
  }

  take({ partition, offset, time, agent, id, outcome }: DecidedRecord): void {
    if (outcome?.kind !== "committed" || outcome.writes.length === 0) return;
    const writes = outcome.writes.map(({ key, value }) => ({ key: fromBytes(key), value: valueOf(value) }));
    this.commit({ partition, offset, time, agent, id, writes });
  }

  /** What the commit broke that held before. */
  commit(commit: RuleCommit): readonly Breach[] {
    const { partition, offset, time, agent, id } = commit;
    const found: Breach[] = [];
    const states = this.#ruleOf(partition).apply(commit);
    if (states.length > 0) this.evaluated += 1;
    for (const { group, fault } of states) {
      const name = `${partition}/${group}`;
      if (fault === undefined) {
        this.standing.delete(name);
        continue;
      }
      if (this.standing.has(name)) continue;
      const breach = { partition, offset, time, agent, id, group, message: fault };
      this.standing.set(name, breach);
      found.push(breach);
    }
    this.breaks += found.length;
    this.first ??= found[0];
    return found;
  }

  #ruleOf(partition: number): Rule {
    const known = this.#rules.get(partition);
    if (known !== undefined) return known;
    const made = this.#kind.create();
    this.#rules.set(partition, made);
    return made;
  }
}
