import type { GroupState, Rule, RuleCommit, RuleKind } from "./rule.ts";

/** What a JavaScript module of a rule exports. */
export interface RuleModule {
  /** What it is called; the file's name unless given. */
  readonly name?: string;
  /** Which keys it is about; all of them unless given. */
  readonly prefix?: string;
  /**
   * Looked at after each commit that touched such a key. `state` has the live ones, with their values. Broken is said by
   * false, or by a sentence on what is.
   */
  readonly default: (state: ReadonlyMap<string, unknown>, commit: RuleCommit) => boolean | string | undefined;
}

export function moduleRule(module: RuleModule, file: string): RuleKind {
  const name = module.name ?? file;
  return { name, create: () => new ModuleState(name, module) };
}

class ModuleState implements Rule {
  readonly name: string;
  readonly #module: RuleModule;
  readonly #state = new Map<string, unknown>();

  constructor(name: string, module: RuleModule) {
    this.name = name;
    this.#module = module;
  }

  apply(commit: RuleCommit): readonly GroupState[] {
    const { prefix = "" } = this.#module;
    const writes = commit.writes.filter(({ key }) => key.startsWith(prefix));
    if (writes.length === 0) return [];
    for (const { key, value } of writes) {
      if (value === undefined) this.#state.delete(key);
      else this.#state.set(key, value);
    }
    const answer = this.#module.default(this.#state, commit);
    const fault = typeof answer === "string" ? answer : answer === false ? "it does not hold" : undefined;
    return [{ group: "", fault }];
  }
}
