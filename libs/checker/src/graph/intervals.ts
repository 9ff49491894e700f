import type { Graph } from "./graph.ts";

/** When a transaction ran. */
export interface Interval {
  readonly node: number;
  readonly begin: number;
  readonly end: number;
}

/**
 * Orders what ended before what began, `precedes(end, begin)`, by a chain of moments: one for each end, so that edges
 * grow with the transactions and not with their pairs.
 */
export function addIntervals(
  graph: Graph,
  intervals: readonly Interval[],
  kind: number,
  precedes: (end: number, begin: number) => boolean,
): void {
  const byEnd = intervals.toSorted((a, b) => a.end - b.end);
  const moments: number[] = [];
  for (const { node } of byEnd) {
    const moment = graph.addMoment();
    graph.addEdge(node, moment, kind, 0);
    const before = moments.at(-1);
    if (before !== undefined) graph.addEdge(before, moment, kind, 0);
    moments.push(moment);
  }
  let ended = 0;
  for (const { node, begin } of intervals.toSorted((a, b) => a.begin - b.begin)) {
    for (let next = byEnd[ended]; next !== undefined && precedes(next.end, begin); next = byEnd[ended]) ended += 1;
    const moment = moments[ended - 1];
    if (moment !== undefined) graph.addEdge(moment, node, kind, 0);
  }
}
