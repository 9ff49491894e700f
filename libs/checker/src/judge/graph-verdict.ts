import { componentsOf, type Components } from "../graph/components.ts";
import { cyclesOf, nameOf, type FoundCycle } from "../graph/cycles.ts";
import type { Graph } from "../graph/graph.ts";
import { snapshotCycle } from "../graph/snapshot-order.ts";
import { toldCycle, type CycleSource } from "./told-cycles.ts";
import type { Tally } from "./tally.ts";

/** Steps that the search for small cycles may take in one graph. */
const searchSteps = 20_000_000;

export interface GraphVerdict {
  readonly serializable: boolean;
  readonly snapshotIsolation: boolean;
}

/** Judges one graph, and tells its cycles into `tally`; `counted` unless it only adds an order to one told before. */
export function judgeGraph(source: CycleSource, tally: Tally, counted: boolean): GraphVerdict {
  const { graph } = source;
  const components = componentsOf(graph, () => true);
  if (components.members.length === 0) return { serializable: true, snapshotIsolation: true };
  const found = cyclesOf(graph, components, { steps: searchSteps });
  const torn = snapshotCycle(graph);
  if (torn !== undefined) found.push(tornCycle(graph, components, torn));
  if (counted) {
    tally.components += components.members.length;
    for (const cycle of new Set(found.map(({ pattern, component }) => `${component} ${pattern}`)))
      tally.count(cycle.slice(cycle.indexOf(" ") + 1) as FoundCycle["pattern"]);
  }
  const size = (component: number): number =>
    (components.members[component] ?? []).filter((node) => node < graph.transactions).length;
  tally.addCycles(distinct(graph, found).map((cycle) => toldCycle(source, cycle, size(cycle.component))));
  return { serializable: false, snapshotIsolation: torn === undefined };
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
