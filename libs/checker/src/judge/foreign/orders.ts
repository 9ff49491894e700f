import { sessionOrder, timeOrder } from "../../graph/graph.ts";
import type { HistoryTransaction } from "../../history.ts";
import { edge } from "./builder.ts";
import type { Edge } from "./problem.ts";
import { push } from "./steps.ts";

/** Each transaction before the next of its session. */
export function sessionEdges(nodes: readonly HistoryTransaction[], order: readonly HistoryTransaction[]): Edge[] {
  const places = new Map(nodes.map((transaction, node) => [transaction, node]));
  const sessions = new Map<string, number[]>();
  for (const transaction of order) {
    const node = places.get(transaction);
    if (node !== undefined && transaction.kind === "foreign" && transaction.session !== null)
      push(sessions, transaction.session, node);
  }
  return Array.from(sessions.values()).flatMap((session) =>
    session.flatMap((node, at) => {
      const next = session[at + 1];
      return next === undefined ? [] : [edge(node, next, sessionOrder, {})];
    }),
  );
}

/**
 * Each transaction before those that began after it had ended, but for what follows from others of these. One of unknown
 * outcome may not have ended yet.
 */
export function timeEdges(nodes: readonly HistoryTransaction[]): Edge[] {
  const timed = nodes.flatMap((transaction, node) =>
    transaction.kind === "foreign" && transaction.begin !== null
      ? [{ node, begin: transaction.begin, end: transaction.end ?? Infinity }]
      : [],
  );
  const byEnd = timed.toSorted((a, b) => a.end - b.end);
  let ended = 0;
  return timed
    .toSorted((a, b) => a.begin - b.begin)
    .flatMap(({ node, begin }) => {
      while ((byEnd[ended]?.end ?? Infinity) < begin) ended += 1;
      const edges: Edge[] = [];
      let latestBegin = -Infinity;
      for (let at = ended - 1; at >= 0; at -= 1) {
        const before = byEnd[at];
        if (before === undefined || before.end < latestBegin) break;
        edges.push(edge(before.node, node, timeOrder, {}));
        latestBegin = Math.max(latestBegin, before.begin);
      }
      return edges;
    });
}
