import { Graph } from "../../graph/graph.ts";
import type { HistoryTransaction } from "../../history.ts";
import type { Answer } from "../../judgement.ts";
import { countLongForks, countWriteSkew } from "../common-counts.ts";
import { judgeGraph, type GraphVerdict } from "../graph-verdict.ts";
import { noDetail } from "../told-cycles.ts";
import type { Tally } from "../tally.ts";
import type { Edge, Problem, Problems } from "./problem.ts";
import { onePoint, solve, startAndCommit, type Points, type Solution } from "./solver.ts";

/** An answer, and why where no cycle shows it. */
export interface Answered {
  readonly answer: Answer;
  readonly reason: string | null;
}

export interface ProblemVerdict {
  readonly serializable: Answered;
  readonly snapshotIsolation: Answered;
}

const holds: Answered = { answer: "holds", reason: null };
const violated: Answered = { answer: "violated", reason: null };

/** Where what was found goes: into the counts too, unless it adds an order to what was counted. */
export interface Telling {
  readonly tally: Tally;
  readonly isCounted: boolean;
}

/** Judges one problem under an order of sessions or time, if `order` has any. */
export function judgeProblem(
  problems: Problems,
  problem: Problem,
  order: readonly Edge[],
  telling: Telling,
): ProblemVerdict {
  const stating = [...problem.edges, ...order];
  const points = problems.nodes.length;
  const stated = tell(problems, stating, telling);
  const search = (times: Points, name: keyof ProblemVerdict): Answered => {
    if (!stated[name]) return violated;
    if (problem.choices.length === 0) return holds;
    const solution = solve(stating, problem.choices, times);
    if (solution.answer === "violated" && solution.stuck !== null)
      tell(problems, [...stating, ...solution.forced, ...solution.stuck.first], telling);
    return explained(solution);
  };
  const serializable = search(onePoint(points), "serializable");
  if (serializable.answer === "holds") return { serializable, snapshotIsolation: holds };
  return { serializable, snapshotIsolation: search(startAndCommit(points), "snapshotIsolation") };
}

/** Without a cycle in what is stated, one is told in what follows: of the two orders of a pair, the first. */
function explained(solution: Solution): Answered {
  if (solution.answer === "holds") return holds;
  if (solution.answer === "undecided") return solution;
  if (solution.stuck === null)
    return { answer: "violated", reason: "no order of the writes fits what was read: all were tried" };
  return {
    answer: "violated",
    reason: "two writes of one key fit in neither order: the cycle told is that of the one",
  };
}

function tell(problems: Problems, edges: readonly Edge[], { tally, isCounted }: Telling): GraphVerdict {
  const { nodes, writeInCommon } = problems;
  const graph = new Graph(nodes.length);
  for (const [label, { from, to, kind }] of edges.entries()) graph.addEdge(from, to, kind, label);
  const transaction = (node: number): HistoryTransaction => {
    const found = nodes[node];
    if (found === undefined) throw new Error(`no transaction is node ${node}`);
    return found;
  };
  const judged = judgeGraph({ graph, transaction, detail: (edge) => edges[graph.label(edge)]?.detail ?? noDetail });
  tally.addCycles(judged.cycles);
  if (!isCounted || judged.serializable) return judged;
  for (const [anomaly, count] of judged.counts) tally.atLeast(anomaly, count);
  tally.components = Math.max(tally.components, judged.components);
  tally.atLeast("write_skew", countWriteSkew(graph, writeInCommon));
  tally.atLeast("long_fork", countLongForks(graph));
  return judged;
}
