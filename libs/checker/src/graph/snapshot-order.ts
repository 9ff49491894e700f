import { componentsOf } from "./components.ts";
import { antiDependencies, Graph } from "./graph.ts";
import { PathSearch } from "./search.ts";

/**
 * Snapshot isolation as an order of moments: a transaction starts, then commits. What it depends on had committed when
 * it started; what overwrote its reads committed after it started. A history allows snapshot isolation if and only if
 * that order has no cycle (every cycle of dependencies then has two anti-dependencies in a row).
 *
 * @returns the edges of `graph` on a cycle of that order; undefined when there is none.
 */
export function snapshotCycle(graph: Graph): number[] | undefined {
  const moments = snapshotMoments(graph);
  const components = componentsOf(moments, () => true);
  const members = components.members[0];
  if (members === undefined) return undefined;
  const search = new PathSearch(moments);
  const { starts, edges } = moments.outgoing;
  let best: number[] | undefined;
  const budget = { steps: 5_000_000 };
  for (const node of members) {
    if (best !== undefined && budget.steps < 0) break;
    for (let at = starts[node] ?? 0; at < (starts[node + 1] ?? 0); at += 1) {
      const edge = edges[at] ?? 0;
      if (components.of[moments.to(edge)] !== 0) continue;
      const longest = best === undefined ? Infinity : best.length - 2;
      const bound = best === undefined ? { steps: Infinity } : budget;
      const path = search.find(moments.to(edge), node, (each) => components.of[moments.to(each)] === 0, longest, bound);
      if (path !== undefined) best = [edge, ...path];
    }
  }
  return best?.map((edge) => moments.label(edge)).filter((edge) => edge !== ownStart);
}

const ownStart = -1;

function snapshotMoments(graph: Graph): Graph {
  const moments = new Graph(graph.nodes + graph.transactions);
  const commit = (node: number): number => (node < graph.transactions ? graph.nodes + node : node);
  for (let node = 0; node < graph.transactions; node += 1) moments.addEdge(node, commit(node), 0, ownStart);
  for (let edge = 0; edge < graph.edges; edge += 1) {
    const [from, to] = [graph.from(edge), graph.to(edge)];
    if ((graph.kind(edge) & antiDependencies) !== 0) moments.addEdge(from, commit(to), 0, edge);
    else moments.addEdge(commit(from), to, 0, edge);
  }
  return moments;
}
