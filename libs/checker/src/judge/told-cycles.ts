import type { FoundCycle } from "../graph/cycles.ts";
import { order, rangeRw, rangeWr, rw, sessionOrder, wr, ww, type Graph } from "../graph/graph.ts";
import type { HistoryTransaction } from "../history.ts";
import type { Cycle, Dependency, DependencyKind } from "../judgement.ts";

/** What an edge between two transactions stands for, apart from its kind. */
export type EdgeDetail = Omit<Dependency, "kind">;

export const noDetail: EdgeDetail = {
  key: null,
  range: null,
  predicate: null,
  before: null,
  after: null,
  change: null,
  inferred: false,
};

export interface CycleSource {
  readonly graph: Graph;
  transaction(node: number): HistoryTransaction;
  detail(edge: number): EdgeDetail;
}

/** A cycle as the judgement gives it: edges over moments become one edge of their order. */
export function toldCycle(source: CycleSource, found: Omit<FoundCycle, "pattern">, component: number): Cycle {
  const { graph } = source;
  const edges = startingAtTransaction(graph, found.edges).filter((edge) => graph.from(edge) < graph.transactions);
  return {
    anomaly: found.name,
    transactions: edges.map((edge) => source.transaction(graph.from(edge))),
    dependencies: edges.map((edge) => dependencyOf(source, edge)),
    component,
    minimal: found.minimal,
  };
}

function dependencyOf(source: CycleSource, edge: number): Dependency {
  const kind = source.graph.kind(edge);
  const detail = (kind & order) === 0 ? source.detail(edge) : noDetail;
  return { kind: kindOf(kind), ...detail };
}

function startingAtTransaction(graph: Graph, edges: readonly number[]): readonly number[] {
  let earliest = -1;
  for (const [at, edge] of edges.entries()) {
    const node = graph.from(edge);
    if (node < graph.transactions && (earliest < 0 || node < graph.from(edges[earliest] ?? 0))) earliest = at;
  }
  return earliest <= 0 ? edges : [...edges.slice(earliest), ...edges.slice(0, earliest)];
}

function kindOf(kind: number): DependencyKind {
  switch (kind) {
    case ww:
      return "ww";
    case wr:
    case rangeWr:
      return "wr";
    case rw:
    case rangeRw:
      return "rw";
    case sessionOrder:
      return "session";
    default:
      return "time";
  }
}
