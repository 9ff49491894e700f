import { fromBytes, type Key, type KeyRange, type Offset, type Point } from "@seriatim/protocol";
import { Graph, rangeRw, rangeWr, rw, wr, ww } from "../../graph/graph.ts";
import type { LoggedTransaction, OutsideTransaction } from "../../history.ts";
import type { BadRead } from "../../judgement.ts";
import { outsideVersions } from "./outside.ts";
import { SpanVersions, type KeyVersions } from "./versions.ts";

/** The transactions of one span of a partition. */
export interface SpanContent {
  readonly partition: number;
  /** Where the history starts. */
  readonly start: Offset;
  /** Where the span starts: what was read from below it was found to be in order. */
  readonly from: Offset;
  /** Committed, by rising offset. */
  readonly committed: readonly LoggedTransaction[];
  /** Aborted and of unknown outcome, by offset: their versions should not have been read. */
  readonly others: ReadonlyMap<Offset, LoggedTransaction>;
  /** Whether the key was absent before the version `offset` of it. */
  readonly isInsert: (key: Key, offset: Offset) => boolean;
}

/** What each transaction of a span rests on, and what overwrote it. */
export class SpanGraph {
  readonly graph: Graph;
  /** By node: first those of the span, then the writers of what was there before the history. */
  readonly nodes: readonly (LoggedTransaction | OutsideTransaction)[];
  readonly versions: SpanVersions;
  readonly badReads: BadRead[] = [];
  /** By the label of an edge. */
  readonly keys: Key[] = [];
  /** Transactions at level snapshot whose reads are not of one snapshot. */
  readonly tornSnapshots: LoggedTransaction[] = [];

  readonly content: SpanContent;
  readonly #labels = new Map<Key, number>();
  readonly #outside: Map<Key, Offset[]>;
  readonly #outsideNodes = new Map<Offset, number>();

  constructor(content: SpanContent) {
    this.content = content;
    const { committed, start } = content;
    this.versions = new SpanVersions(committed);
    this.#outside = outsideVersions(committed, start);
    const outside = new Set(Array.from(this.#outside.values()).flat());
    for (const offset of outside) this.#outsideNodes.set(offset, committed.length + this.#outsideNodes.size);
    this.nodes = [...committed, ...Array.from(outside, (offset) => outsideTransaction(content.partition, offset))];
    this.graph = new Graph(this.nodes.length);
    this.#overwrites();
    for (const [node, transaction] of committed.entries()) this.#reads(node, transaction);
  }

  #overwrites(): void {
    for (const [key, { nodes }] of this.versions.all())
      for (const [place, node] of nodes.entries()) {
        const after = nodes[place + 1];
        if (after !== undefined) this.#edge(node, after, ww, key);
      }
    for (const [key, offsets] of this.#outside) {
      const chain = offsets.map((offset) => this.#outsideNodes.get(offset));
      chain.push(this.versions.of(key)?.nodes[0]);
      for (const [place, node] of chain.entries()) this.#edge(node, chain[place + 1], ww, key);
    }
  }

  #reads(node: number, transaction: LoggedTransaction): void {
    const points = new Set<Key>();
    for (const point of transaction.points) {
      points.add(point.key);
      this.#point(node, transaction, point);
    }
    for (const range of transaction.ranges) this.#range(node, transaction, range, points);
  }

  #point(node: number, transaction: LoggedTransaction, point: Point): void {
    const versions = this.versions.of(point.key);
    if (point.version === null) {
      if (versions !== undefined) this.#absent(node, transaction, point.key, versions);
      return;
    }
    if (point.version < this.content.start) {
      this.#initial(node, transaction, point.key, point.version, versions);
      return;
    }
    const place = versions?.exactly(point.version);
    if (versions !== undefined && place !== undefined) this.#read(node, transaction, point.key, versions, place);
    else if (point.version >= this.content.from) this.#badRead(transaction, point.key, point.version);
    else if (versions !== undefined) this.#read(node, transaction, point.key, versions, -1);
  }

  #absent(node: number, transaction: LoggedTransaction, key: Key, versions: KeyVersions): void {
    const place = versions.absentAt(Math.min(transaction.snapshot, transaction.offset - 1));
    this.#read(node, transaction, key, versions, place, transaction.isolation !== "none");
  }

  #initial(
    node: number,
    transaction: LoggedTransaction,
    key: Key,
    version: Offset,
    versions: KeyVersions | undefined,
  ): void {
    const named = this.#outside.get(key);
    const writer = named === undefined ? undefined : this.#outsideNodes.get(version);
    const next = named?.find((other) => other > version);
    if (writer !== undefined) this.#edge(writer, node, wr, key);
    if (next !== undefined) this.#edge(node, this.#outsideNodes.get(next), rw, key);
    else if (versions !== undefined) this.#read(node, transaction, key, versions, -1);
  }

  /** A read by itself of the version at `place`, or of what was there before the span. */
  #read(
    node: number,
    transaction: LoggedTransaction,
    key: Key,
    versions: KeyVersions,
    place: number,
    isCertain = true,
  ): void {
    if (isCertain) this.#edge(versions.nodes[place], node, wr, key);
    this.#edge(node, versions.nodes[place + 1], rw, key);
    const next = versions.offsets[place + 1];
    if (transaction.isolation === "snapshot" && next !== undefined && next <= transaction.snapshot)
      this.tornSnapshots.push(transaction);
  }

  /** At level none a range was read at its own, unknown snapshot: it may not have seen all that is below this one. */
  #range(node: number, transaction: LoggedTransaction, range: KeyRange, points: ReadonlySet<Key>): void {
    const { snapshot, offset, isolation } = transaction;
    for (const key of this.versions.within(range.from, range.to)) {
      const versions = this.versions.of(key);
      if (versions === undefined || points.has(key)) continue;
      const place = versions.at(snapshot === offset ? offset - 1 : snapshot);
      if (isolation !== "none") this.#edge(versions.nodes[place], node, rangeWr, key);
      this.#edge(node, versions.nodes[place + 1], rangeRw, key);
    }
  }

  #badRead(reader: LoggedTransaction, key: Key, version: Offset): void {
    const other = this.content.others.get(version);
    const wrote = other?.writes.some((write) => write.key === key && !write.deleted) ?? false;
    if (wrote && other?.status === "indeterminate") return;
    const anomaly = wrote ? "G1a" : "thin_air";
    this.badReads.push({ anomaly, reader, writer: (wrote ? other : null) ?? null, key: fromBytes(key), version });
  }

  #edge(from: number | undefined, to: number | undefined, kind: number, key: Key): void {
    if (from === undefined || to === undefined || from === to) return;
    let label = this.#labels.get(key);
    if (label === undefined) {
      label = this.keys.length;
      this.#labels.set(key, label);
      this.keys.push(key);
    }
    this.graph.addEdge(from, to, kind, label);
  }
}

function outsideTransaction(partition: number, offset: Offset): OutsideTransaction {
  return { kind: "outside", name: `before the history, at ${partition}@${offset}`, partition, offset };
}
