import { attemptId } from "@seriatim/client";
import { partitionOf, prefixRange, toBytes, toKey } from "@seriatim/protocol";
import { newest, type Decision, type View } from "@seriatim/view";
import type { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import type { KafkaSpace } from "../../libs/seriatim/src/kafka-space.ts";
import type { Action, Journal } from "./journal.ts";

type Space = EmbeddedSpace | KafkaSpace;

export interface Judgement {
  readonly acknowledged: number;
  /** Actions under way at a kill, of which nobody was told what became. */
  readonly unknown: number;
  /** Of those, how many had committed. */
  readonly found: number;
  readonly unknownLeft: number;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** What the counters say that no sum of the commits explains. */
  readonly unequal: readonly string[];
}

/** Judges what the agents were told by what the view holds, after it has settled all that they were not told of. */
export class Judge {
  readonly #space: Space;
  readonly #actions: readonly Action[];
  readonly #ledgers: readonly string[];
  readonly #unequal: string[] = [];
  #unknownLeft = 0;

  constructor(space: Space, journal: Journal) {
    this.#space = space;
    this.#actions = [...journal.actions.values()];
    this.#ledgers = [...new Set(this.#actions.map(({ ledger }) => ledger))];
  }

  async judge(): Promise<Judgement> {
    await this.#catchUp();
    const told = this.#actions.filter(({ acknowledged }) => acknowledged.length > 0);
    const untold = this.#actions.filter(({ acknowledged }) => acknowledged.length === 0);
    const before = this.#sum();
    if (before < told.length || before > told.length + untold.length)
      this.#unequal.push(`${told.length} <= ${before} <= ${told.length} + ${untold.length} does not hold`);

    const found: Action[] = [];
    for (const action of untold) if (await this.#settle(action)) found.push(action);
    const after = this.#sum();
    if (after !== told.length + found.length)
      this.#unequal.push(`the counters add up to ${after}, and ${told.length} + ${found.length} actions committed`);
    this.#checkEntries(new Set([...told, ...found].map(({ name }) => name)));
    return {
      acknowledged: told.length,
      unknown: untold.length,
      found: found.length,
      unknownLeft: this.#unknownLeft,
      lost: told.filter((action) => this.#isLost(action)).map(({ name }) => name),
      doubled: this.#doubled(),
      unequal: this.#unequal,
    };
  }

  async #catchUp(): Promise<void> {
    for (let partition = 0; partition < this.#space.genesis.partitions; partition += 1) {
      const { end } = await this.#space.intents.bounds(partition);
      await this.#space.reached({ partition, offset: end - 1 }, { timeout: 60_000 });
    }
  }

  #sum(): number {
    return this.#ledgers.reduce((sum, ledger) => sum + (this.#value(`${ledger}/count`) ?? 0), 0);
  }

  #value(key: string): number | undefined {
    const entry = this.#space.view.get(toKey(key), newest);
    return entry === undefined ? undefined : (JSON.parse(Buffer.from(entry.value).toString()) as number);
  }

  /** Whether the action has committed; if it has not, it never will. */
  async #settle(action: Action): Promise<boolean> {
    const partition = this.#partitionOf(action);
    if (!action.business) {
      let isCommitted = false;
      for (const id of action.intents) if (isCommit(await this.#close(id, partition))) isCommitted = true;
      return isCommitted;
    }
    for (let n = 1; ; n += 1) {
      const isOpen = this.#space.view.decisionOf(attemptId(action.name, n), partition) === undefined;
      const decision = await this.#close(attemptId(action.name, n), partition);
      if (isCommit(decision)) return true;
      // Nobody sends the next attempt before this one was decided.
      if (isOpen) return false;
    }
  }

  /** Cancels the intent if it is not decided, and looks up what became of it (invariant 6). */
  async #close(id: string, partition: number): Promise<Decision | undefined> {
    const { view, codec, genesis } = this.#space;
    const known = view.decisionOf(id, partition);
    if (known !== undefined) return known;
    const { space } = genesis;
    const snapshot = view.position(partition).offset;
    const cancel = codec.encodeIntent({ kind: "cancel", space, partition, id, agent: "judge", snapshot });
    await this.#space.append(partition, cancel);
    await this.#catchUp();
    const decision = view.decisionOf(id, partition);
    if (decision === undefined) this.#unknownLeft += 1;
    return decision;
  }

  #partitionOf({ ledger }: Action): number {
    const { partitions } = this.#space.genesis;
    return partitions === 1 ? 0 : partitionOf(toBytes(ledger), partitions);
  }

  /** What was acknowledged stands there, at the version acknowledged and with the value acknowledged. */
  #isLost(action: Action): boolean {
    const entry = this.#space.view.get(toKey(`${action.ledger}/entries/${action.name}`), newest);
    return action.acknowledged.some(
      ({ count, version }) =>
        entry?.version !== version.offset || Buffer.from(entry.value).toString() !== JSON.stringify(count),
    );
  }

  /** Actions that took effect more than once: written twice, or counted twice. */
  #doubled(): string[] {
    const { view } = this.#space;
    return this.#actions
      .filter(({ ledger, name }) => view.history(toKey(`${ledger}/entries/${name}`), { limit: 2 }).length > 1)
      .map(({ name }) => name);
  }

  /** The entries are those of the actions that committed, and each has a number of its own, from 1 on. */
  #checkEntries(committed: ReadonlySet<string>): void {
    for (const ledger of this.#ledgers) {
      const entries = entriesOf(this.#space.view, ledger);
      const strangers = entries.filter(({ name }) => !committed.has(name));
      if (strangers.length > 0) this.#unequal.push(`entries of actions that did not commit: ${names(strangers)}`);
      const counts = new Set(entries.map(({ count }) => count));
      const total = this.#value(`${ledger}/count`) ?? 0;
      if (counts.size !== entries.length || entries.length !== total || entries.some(({ count }) => count > total))
        this.#unequal.push(`${ledger} counts ${total}, with ${entries.length} entries and ${counts.size} numbers`);
    }
  }
}

function isCommit(decision: Decision | undefined): boolean {
  return decision?.outcome.kind === "committed";
}

function entriesOf(view: View, ledger: string): { readonly name: string; readonly count: number }[] {
  const prefix = `${ledger}/entries/`;
  const entries = view.scan(prefixRange(prefix), newest, { limit: Number.MAX_SAFE_INTEGER });
  return entries.map(({ key, value }) => ({
    name: key.slice(prefix.length),
    count: JSON.parse(Buffer.from(value).toString()) as number,
  }));
}

function names(entries: readonly { readonly name: string }[]): string {
  return entries.map(({ name }) => name).join(", ");
}
