import { componentsOf, type Components, type EdgeFilter } from "./components.ts";
import {
  antiDependencies,
  dependencies,
  everything,
  order,
  rangeRw,
  rangeWr,
  rw,
  wr,
  ww,
  type Graph,
} from "./graph.ts";
import { PathSearch, type Budget } from "./search.ts";

export type CycleName = "G0" | "G1c" | "G-single" | "G2-item" | "G2";

export interface FoundCycle {
  /** What was looked for, and is counted. */
  readonly pattern: CycleName;
  /** The most specific of the names that it bears. */
  readonly name: CycleName;
  /** Edges of the graph, each beginning where the one before ends. */
  readonly edges: readonly number[];
  readonly component: number;
  readonly minimal: boolean;
}

/** A cycle of a name has one edge `closing`, and a path `back` that holds a `wanted` edge where any is named. */
interface Pattern {
  readonly name: CycleName;
  readonly closing: number;
  readonly back: number;
  readonly wanted?: number;
}

const patterns: readonly Pattern[] = [
  { name: "G0", closing: ww, back: ww },
  { name: "G1c", closing: wr | rangeWr | order, back: dependencies | order },
  { name: "G-single", closing: antiDependencies, back: dependencies | order },
  { name: "G2-item", closing: rw, back: dependencies | order | rw, wanted: rw },
  { name: "G2", closing: rangeRw, back: everything },
];

/** How long the paths are that are looked for: short ones first, everywhere, so that the first found is the shortest. */
const depths = [1, 2, 3, 4, 6, 9, 14, 25, Infinity];

/** One shortest cycle of each name that a component holds, shortest first; exact until the budget has run out. */
export function cyclesOf(graph: Graph, components: Components, budget: Budget): FoundCycle[] {
  const search = new PathSearch(graph);
  const found: FoundCycle[] = [];
  for (const pattern of patterns)
    for (const [component, closing] of closingEdges(graph, components, pattern)) {
      const share = { steps: Math.ceil(budget.steps / components.members.length) + 10_000 };
      const cycle = shortestLike(graph, components, component, pattern, closing, search, share);
      if (cycle !== undefined) found.push(cycle);
    }
  const shown = new Set(found.map((cycle) => cycle.component));
  for (const component of components.members.keys())
    if (!shown.has(component)) found.push(anyCycle(graph, components, component, search));
  return found.toSorted((a, b) => a.edges.length - b.edges.length || a.component - b.component);
}

/** The edges, by component, with which a cycle of the pattern's kinds can close. */
function closingEdges(graph: Graph, components: Components, pattern: Pattern): Map<number, number[]> {
  const kinds = pattern.closing | pattern.back;
  const own = componentsOf(graph, (edge) => (graph.kind(edge) & kinds) !== 0);
  const closing = new Map<number, number[]>();
  for (let edge = 0; edge < graph.edges; edge += 1) {
    if ((graph.kind(edge) & pattern.closing) === 0) continue;
    const within = own.of[graph.from(edge)] ?? -1;
    if (within === -1 || within !== own.of[graph.to(edge)]) continue;
    const component = components.of[graph.from(edge)] ?? -1;
    const edges = closing.get(component);
    if (edges === undefined) closing.set(component, [edge]);
    else edges.push(edge);
  }
  return closing;
}

function shortestLike(
  graph: Graph,
  components: Components,
  component: number,
  pattern: Pattern,
  closing: readonly number[],
  search: PathSearch,
  budget: Budget,
): FoundCycle | undefined {
  const allows: EdgeFilter = (edge) =>
    (graph.kind(edge) & pattern.back) !== 0 && components.of[graph.to(edge)] === component;
  const { wanted } = pattern;
  const isWanted = wanted === undefined ? undefined : (edge: number): boolean => (graph.kind(edge) & wanted) !== 0;
  let exact = true;
  for (const longest of depths)
    for (const edge of closing) {
      if (budget.steps < 0) return undefined;
      const path = search.find(graph.to(edge), graph.from(edge), allows, longest, budget, isWanted);
      if (path === undefined) continue;
      const edges = [edge, ...path];
      if (isSimple(graph, edges))
        return { pattern: pattern.name, name: nameOf(graph, edges), edges, component, minimal: exact };
      exact = false;
    }
  return undefined;
}

function anyCycle(graph: Graph, components: Components, component: number, search: PathSearch): FoundCycle {
  const { starts, edges } = graph.outgoing;
  const allows: EdgeFilter = (edge) => components.of[graph.to(edge)] === component;
  const node = components.members[component]?.[0] ?? 0;
  for (let at = starts[node] ?? 0; at < (starts[node + 1] ?? 0); at += 1) {
    const edge = edges[at] ?? 0;
    if (!allows(edge)) continue;
    const path = search.find(graph.to(edge), node, allows, Infinity, { steps: Infinity });
    if (path === undefined) continue;
    const cycle = [edge, ...path];
    const name = nameOf(graph, cycle);
    return { pattern: name, name, edges: cycle, component, minimal: false };
  }
  throw new Error("a strongly connected component without a cycle");
}

function isSimple(graph: Graph, edges: readonly number[]): boolean {
  return new Set(edges.map((edge) => graph.from(edge))).size === edges.length;
}

/** The most specific of Adya's names. */
export function nameOf(graph: Graph, edges: readonly number[]): CycleName {
  const kinds = edges.map((edge) => graph.kind(edge));
  const anti = kinds.filter((kind) => (kind & antiDependencies) !== 0);
  if (anti.length === 0) return kinds.every((kind) => kind === ww) ? "G0" : "G1c";
  if (anti.length === 1) return "G-single";
  return anti.every((kind) => kind === rw) ? "G2-item" : "G2";
}
