import { antiDependencies, rangeWr, wr, type Graph } from "../graph/graph.ts";

/** Steps that counting may take before it gives what it has. */
const mostSteps = 5_000_000;

/** Pairs that each read what the other overwrote, unless `excepted`. */
export function countWriteSkew(graph: Graph, excepted: (a: number, b: number) => boolean): number {
  const size = graph.nodes;
  const edges = new Set<number>();
  for (let edge = 0; edge < graph.edges; edge += 1)
    if ((graph.kind(edge) & antiDependencies) !== 0) edges.add(graph.from(edge) * size + graph.to(edge));
  let count = 0;
  for (const code of edges) {
    const from = Math.floor(code / size);
    const to = code % size;
    if (from < to && edges.has(to * size + from) && !excepted(from, to)) count += 1;
  }
  return count;
}

/** Pairs of readers, each of which saw a writer's work that the other did not see. */
export function countLongForks(graph: Graph): number {
  const pairs = new Set<number>();
  const forks = new Neighbours(graph);
  for (let one = 0; one < graph.transactions; one += 1) {
    if (forks.steps > mostSteps) break;
    for (const other of forksOf(forks, one)) pairs.add(one * graph.nodes + other);
  }
  return pairs.size;
}

/** The readers after `one` with which it makes a fork. */
function* forksOf(forks: Neighbours, one: number): Generator<number> {
  for (const unseen of forks.after(one, antiDependencies))
    for (const other of forks.after(unseen, wr | rangeWr)) {
      if (other <= one) continue;
      for (const seen of forks.after(other, antiDependencies))
        if (seen !== unseen && seen !== one && forks.after(seen, wr | rangeWr).includes(one)) yield other;
    }
}

class Neighbours {
  readonly #graph: Graph;
  steps = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
  }

  after(node: number, kinds: number): number[] {
    const { starts, edges } = this.#graph.outgoing;
    const from = starts[node] ?? 0;
    const to = starts[node + 1] ?? 0;
    this.steps += to - from;
    const targets: number[] = [];
    for (const edge of edges.subarray(from, to))
      if ((this.#graph.kind(edge) & kinds) !== 0) targets.push(this.#graph.to(edge));
    return targets;
  }
}
