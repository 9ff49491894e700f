import { RuleWatch, type RuleKind } from "@seriatim/checker";
import { fromBytes, type Verdict } from "@seriatim/protocol";
import { Gauge, type Registry } from "prom-client";
import { decodeValue } from "@seriatim/client";
import type { Logger } from "pino";
import { nameOf } from "../advances.ts";
import type { Health } from "./health.ts";
import type { Exported } from "./registry.ts";

/** Evaluates a space's rules after every commit, and exports how often they were broken. */
export class RulesWatch implements Exported, Health {
  readonly #registry: Registry;
  readonly #kinds: readonly RuleKind[];
  #rules: readonly RuleWatch[] = [];
  readonly #log: Logger;
  readonly #violations: Gauge<"rule">;
  readonly #standing: Gauge<"rule">;
  readonly #evaluated: Gauge<"rule">;

  constructor(registry: Registry, rules: readonly RuleKind[], log: Logger) {
    const registers = [registry];
    const labelNames = ["rule"] as const;
    this.#registry = registry;
    this.#kinds = rules;
    this.#log = log;
    this.#violations = new Gauge({
      name: "seriatim_invariant_violations",
      help: "Commits, of all that the log holds, after which a rule did not hold that held before. Must stay 0.",
      labelNames,
      registers,
    });
    this.#standing = new Gauge({
      name: "seriatim_invariant_standing",
      help: "Groups in which a rule does not hold now.",
      labelNames,
      registers,
    });
    this.#evaluated = new Gauge({
      name: "seriatim_invariant_evaluated",
      help: "Commits after which a rule was looked at.",
      labelNames,
      registers,
    });
  }

  get names(): readonly string[] {
    return this.#kinds.map(({ name }) => name);
  }

  /** From here on it is given the log from its start. */
  begin(): void {
    this.#rules = this.#kinds.map((rule) => new RuleWatch(rule));
  }

  sickness(): string | undefined {
    return undefined;
  }

  unreadiness(): string | undefined {
    return this.#rules.length === 0 ? "nothing was read yet" : undefined;
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** The next verdict of its partition. */
  take({ partition, offset, time, agent, id, outcome }: Verdict): void {
    if (outcome.kind !== "committed" || outcome.writes.length === 0) return;
    const writes = outcome.writes.map(({ key, value }) => ({
      key: fromBytes(key),
      value: value === null ? undefined : decodeValue(value, key),
    }));
    for (const rule of this.#rules)
      for (const { group, message } of rule.commit({ partition, offset, time, agent, id, writes }))
        this.#log.error({ rule: rule.name, group, version: nameOf({ partition, offset }), agent, intent: id }, message);
  }

  text(): Promise<string> {
    for (const { name: rule, breaks, standing, evaluated } of this.#rules) {
      this.#violations.set({ rule }, breaks);
      this.#standing.set({ rule }, standing.size);
      this.#evaluated.set({ rule }, evaluated);
    }
    return this.#registry.metrics();
  }
}
