import type { EdgeFilter } from "./components.ts";
import type { Graph } from "./graph.ts";

/** Steps that searches may still take; shared, so that many small searches are bounded together. */
export interface Budget {
  steps: number;
}

/** Finds short paths in one graph, over and over, without new memory for each. */
export class PathSearch {
  readonly #graph: Graph;
  /** By state: node * 2 + whether a wanted edge was passed. */
  readonly #seen: Int32Array;
  readonly #reachedBy: Int32Array;
  readonly #queue: Int32Array;
  #search = 0;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#seen = new Int32Array(graph.nodes * 2);
    this.#reachedBy = new Int32Array(graph.nodes * 2);
    this.#queue = new Int32Array(graph.nodes * 2);
  }

  /**
   * The edges of a shortest path of at most `longest` edges; undefined when there is none, or the budget has run out.
   * With `wanted`, one such edge at least is on it.
   */
  find(
    from: number,
    to: number,
    allows: EdgeFilter,
    longest: number,
    budget: Budget,
    wanted?: EdgeFilter,
  ): number[] | undefined {
    this.#search += 1;
    const { starts, edges } = this.#graph.outgoing;
    const first = from * 2 + (wanted === undefined ? 1 : 0);
    this.#seen[first] = this.#search;
    this.#queue[0] = first;
    let [read, end, levelEnd, depth] = [0, 1, 1, 0];
    while (read < end && depth < longest) {
      const state = this.#queue[read] ?? 0;
      read += 1;
      const node = state >> 1;
      for (let at = starts[node] ?? 0; at < (starts[node + 1] ?? 0); at += 1) {
        budget.steps -= 1;
        const edge = edges[at] ?? 0;
        if (!allows(edge)) continue;
        const passed = (state & 1) === 1 || (wanted?.(edge) ?? true);
        const next = this.#graph.to(edge) * 2 + (passed ? 1 : 0);
        if (this.#seen[next] === this.#search) continue;
        this.#seen[next] = this.#search;
        this.#reachedBy[next] = edge * 2 + (state & 1);
        if (next === to * 2 + 1) return this.#path(first, next);
        this.#queue[end] = next;
        end += 1;
      }
      if (budget.steps < 0) return undefined;
      if (read === levelEnd) {
        levelEnd = end;
        depth += 1;
      }
    }
    return undefined;
  }

  #path(first: number, last: number): number[] {
    const path: number[] = [];
    let state = last;
    do {
      const by = this.#reachedBy[state] ?? 0;
      path.push(by >> 1);
      state = this.#graph.from(by >> 1) * 2 + (by & 1);
    } while (state !== first);
    return path.toReversed();
  }
}
