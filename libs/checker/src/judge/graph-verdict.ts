import { componentsOf, type Components } from "../graph/components.ts";
import { cyclesOf, nameOf, type FoundCycle } from "../graph/cycles.ts";
import type { Graph } from "../graph/graph.ts";
import { snapshotCycle } from "../graph/snapshot-order.ts";
import type { Anomaly, Cycle } from "../judgement.ts";
import { toldCycle, type CycleSource } from "./told-cycles.ts";

/** Steps that the search for small cycles may take in one graph. */
const searchSteps = 20_000_000;

export interface GraphVerdict {
  readonly serializable: boolean;
  readonly snapshotIsolation: boolean;
}

/** Also what was found in one graph. */
export interface JudgedGraph extends GraphVerdict {
  readonly cycles: readonly Cycle[];
  /** How many components hold a cycle of each name, and how many hold any. */
  readonly counts: ReadonlyMap<Anomaly, number>;
  readonly components: number;
}

const sound: JudgedGraph = {
  serializable: true,
  snapshotIsolation: true,
  cycles: [],
  counts: new Map(),
  components: 0,
};

export function judgeGraph(source: CycleSource): JudgedGraph {
  const { graph } = source;
  const components = componentsOf(graph, () => true);
  if (components.members.length === 0) return sound;
  const found = cyclesOf(graph, components, { steps: searchSteps });
  const torn = snapshotCycle(graph);
  if (torn !== undefined) found.push(tornCycle(graph, components, torn));
  const size = (component: number): number =>
    (components.members[component] ?? []).filter((node) => node < graph.transactions).length;
  return {
    serializable: false,
    snapshotIsolation: torn === undefined,
    cycles: distinct(graph, found).map((cycle) => toldCycle(source, cycle, size(cycle.component))),
    counts: countsOf(found),
    components: components.members.length,
  };
}

function countsOf(found: readonly FoundCycle[]): Map<Anomaly, number> {
  const counts = new Map<Anomaly, number>();
  const seen = new Set<string>();
  for (const { pattern, component } of found) {
    if (seen.has(`${pattern} ${component}`)) continue;
    seen.add(`${pattern} ${component}`);
    counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  return counts;
}

/** A cycle that snapshot isolation forbids: shown also where a shorter one is not. */
function tornCycle(graph: Graph, components: Components, edges: readonly number[]): FoundCycle {
  const name = nameOf(graph, edges);
  const component = components.of[graph.from(edges[0] ?? 0)] ?? 0;
  return { pattern: name, name, edges, component, minimal: true };
}

function distinct(graph: Graph, cycles: readonly FoundCycle[]): FoundCycle[] {
  const seen = new Set<string>();
  return cycles.filter(({ edges }) => {
    const nodes = edges.map((edge) => `${graph.from(edge)}>${graph.to(edge)}`);
    const identity = nodes.toSorted().join();
    return !seen.has(identity) && seen.add(identity) !== undefined;
  });
}
