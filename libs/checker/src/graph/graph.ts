import { IntList } from "./int-list.ts";

/** Kinds of edges, as bits, so that a search takes any set of them. */
export const ww = 1;
export const wr = 2;
export const rw = 4;
/** Through a range or predicate. */
export const rangeWr = 8;
export const rangeRw = 16;
export const sessionOrder = 32;
export const timeOrder = 64;

export const dependencies = ww | wr | rangeWr;
export const antiDependencies = rw | rangeRw;
export const order = sessionOrder | timeOrder;
export const everything = dependencies | antiDependencies | order;

/**
 * A directed graph with edges of several kinds. Nodes below `transactions` are transactions; those above are moments:
 * they stand for an order of many by few edges, and are read over when a cycle is told.
 */
export class Graph {
  readonly transactions: number;
  #nodes: number;
  readonly #from = new IntList();
  readonly #to = new IntList();
  readonly #kind = new IntList();
  readonly #label = new IntList();
  #outgoing: Adjacency | undefined;

  constructor(transactions: number) {
    this.transactions = transactions;
    this.#nodes = transactions;
  }

  get nodes(): number {
    return this.#nodes;
  }

  get edges(): number {
    return this.#from.length;
  }

  addMoment(): number {
    this.#outgoing = undefined;
    this.#nodes += 1;
    return this.#nodes - 1;
  }

  copy(): Graph {
    const copy = new Graph(this.transactions);
    while (copy.nodes < this.#nodes) copy.addMoment();
    for (let edge = 0; edge < this.edges; edge += 1)
      copy.addEdge(this.from(edge), this.to(edge), this.kind(edge), this.label(edge));
    return copy;
  }

  /** `label` is the caller's, to tell what the edge stands for. */
  addEdge(from: number, to: number, kind: number, label: number): void {
    this.#outgoing = undefined;
    this.#from.push(from);
    this.#to.push(to);
    this.#kind.push(kind);
    this.#label.push(label);
  }

  from(edge: number): number {
    return this.#from.at(edge);
  }

  to(edge: number): number {
    return this.#to.at(edge);
  }

  kind(edge: number): number {
    return this.#kind.at(edge);
  }

  label(edge: number): number {
    return this.#label.at(edge);
  }

  get outgoing(): Adjacency {
    this.#outgoing ??= adjacencyOf(this.#nodes, this.#from.view());
    return this.#outgoing;
  }
}

/** The edges that leave node `n` are `edges[starts[n]]` up to `edges[starts[n + 1]]`, exclusive. */
export interface Adjacency {
  readonly starts: Int32Array;
  readonly edges: Int32Array;
}

function adjacencyOf(nodes: number, from: Int32Array): Adjacency {
  const starts = new Int32Array(nodes + 1);
  for (const node of from) starts[node + 1] = (starts[node + 1] ?? 0) + 1;
  for (let node = 0; node < nodes; node += 1) starts[node + 1] = (starts[node + 1] ?? 0) + (starts[node] ?? 0);
  const next = starts.slice();
  const edges = new Int32Array(from.length);
  for (const [edge, node] of from.entries()) {
    const at = next[node] ?? 0;
    edges[at] = edge;
    next[node] = at + 1;
  }
  return { starts, edges };
}
