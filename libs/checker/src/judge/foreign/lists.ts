import { rw, wr, ww } from "../../graph/graph.ts";
import type { Value } from "../../history.ts";
import { eachPair, edge, type Builder } from "./builder.ts";
import type { Participants, Writer } from "./participants.ts";
import { push } from "./steps.ts";

interface ListRead {
  readonly node: number;
  readonly values: readonly Value[];
}

/**
 * The dependencies that lists of appended elements show: the longest that was read has the order of the others, each of
 * which must be its beginning. What was appended and never read comes after, in an order that is not known.
 */
export function dependOnLists(builder: Builder, participants: Participants): void {
  const reads = new Map<string, ListRead[]>();
  for (const [node, { steps, status }] of participants.counted.entries())
    if (status === "committed")
      for (const read of steps.reads) if (read.kind === "list") push(reads, read.key, { node, values: read.values });
  const appenders = participants.appendersByKey();
  for (const key of new Set([...reads.keys(), ...appenders.keys()]))
    new ListKey(builder, participants, key).depend(reads.get(key) ?? [], appenders.get(key) ?? []);
}

class ListKey {
  readonly #builder: Builder;
  readonly #participants: Participants;
  readonly #key: string;

  constructor(builder: Builder, participants: Participants, key: string) {
    this.#builder = builder;
    this.#participants = participants;
    this.#key = key;
  }

  depend(reads: readonly ListRead[], appenders: readonly number[]): void {
    const chain = reads.reduce<readonly Value[]>(
      (long, { values }) => (values.length > long.length ? values : long),
      [],
    );
    const writers = chain.map((value) => this.#writerOf(value));
    const nodes = writers.map((writer) => writer && this.#participants.nodeOf(writer.participant));
    const unread = appenders.filter((node) => !nodes.includes(node));
    for (const [at, node] of nodes.entries())
      this.#builder.depend(node, nodes[at + 1], ww, this.#names(chain[at], chain[at + 1]));
    for (const node of unread)
      this.#builder.depend(nodes.at(-1), node, ww, this.#names(chain.at(-1), this.#lastOf(node)));
    for (const read of reads) {
      if (!this.#isPossible(read, chain)) continue;
      if (this.#isTorn(read, writers))
        this.#builder.object("incompatible_order", read.node, undefined, this.#key, read.values.at(-1) ?? null);
      this.#seen(read, writers);
      this.#unseen(read, chain, nodes, unread);
    }
    eachPair(unread, (a, b) => {
      const names = (from: number, to: number) => ({
        ...this.#names(this.#lastOf(from), this.#lastOf(to)),
        inferred: true,
      });
      this.#builder.choose([edge(a, b, ww, names(a, b))], [edge(b, a, ww, names(b, a))]);
    });
  }

  /** Whether a list that was read is the beginning of the longest, with no element twice. */
  #isPossible({ node, values }: ListRead, chain: readonly Value[]): boolean {
    const fits = new Set(values).size === values.length && values.every((value, at) => chain[at] === value);
    if (!fits) this.#builder.object("incompatible_order", node, undefined, this.#key, values.at(-1) ?? null);
    return fits;
  }

  /** Whether what one transaction appended does not stand together in a list, in its order; its end may be missing. */
  #isTorn({ values }: ListRead, writers: readonly (Writer | undefined)[]): boolean {
    return values.some((value, at) => {
      const own = writers[at]?.participant.steps.appends.get(this.#key) ?? [];
      const place = own.indexOf(value);
      if (place > 0 && values[at - 1] !== own[place - 1]) return true;
      return place >= 0 && place + 1 < own.length && at + 1 < values.length && values[at + 1] !== own[place + 1];
    });
  }

  /** Every element must have been appended by who committed; the last one must be its appender's last. */
  #seen({ node, values }: ListRead, writers: readonly (Writer | undefined)[]): void {
    for (const [at, value] of values.entries()) {
      const writer = writers[at];
      if (writer === undefined) this.#builder.object("thin_air", node, undefined, this.#key, value);
      else if (writer.participant.status === "aborted") this.#builder.object("G1a", node, writer, this.#key, value);
    }
    const last = values.length === 0 ? undefined : writers[values.length - 1];
    if (last === undefined) return;
    const appender = this.#participants.nodeOf(last.participant);
    if (last.isIntermediate && appender !== node)
      this.#builder.object("G1b", node, last, this.#key, values.at(-1) ?? null);
    this.#builder.depend(appender, node, wr, this.#names(values.at(-1), undefined));
  }

  /** Overwritten is a list by the next element, or by each of those that came after all that was read. */
  #unseen(
    { node, values }: ListRead,
    chain: readonly Value[],
    nodes: readonly (number | undefined)[],
    unread: readonly number[],
  ): void {
    const before = values.at(-1);
    if (values.length < chain.length)
      this.#builder.depend(node, nodes[values.length], rw, this.#names(before, chain[values.length]));
    else
      for (const appender of unread)
        this.#builder.depend(node, appender, rw, this.#names(before, this.#lastOf(appender)));
  }

  /** Who committed it, if anybody did. */
  #writerOf(value: Value): Writer | undefined {
    const writers = this.#participants.appendersOf(this.#key, value);
    return writers.find(({ participant }) => this.#participants.nodeOf(participant) !== undefined) ?? writers[0];
  }

  #lastOf(node: number): Value | undefined {
    return this.#participants.counted[node]?.steps.appends.get(this.#key)?.at(-1);
  }

  #names(before: Value | undefined, after: Value | undefined) {
    return {
      key: this.#key,
      before: before ?? null,
      after: after ?? null,
      change: before === undefined ? ("insert" as const) : ("update" as const),
    };
  }
}
