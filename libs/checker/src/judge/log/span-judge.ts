import { antiDependencies, rw, sessionOrder, timeOrder, ww, type Graph } from "../../graph/graph.ts";
import { addIntervals, type Interval } from "../../graph/intervals.ts";
import { componentsOf } from "../../graph/components.ts";
import type { LoggedTransaction } from "../../history.ts";
import type { JudgeOptions } from "../../judgement.ts";
import { countLongForks, countWriteSkew } from "../common-counts.ts";
import { judgeGraph, type GraphVerdict, type JudgedGraph } from "../graph-verdict.ts";
import type { Tally } from "../tally.ts";
import type { ClaimTally } from "./claim-tally.ts";
import { detailOf } from "./span-detail.ts";
import { SpanGraph, type SpanContent } from "./span-graph.ts";

export interface SpanVerdict extends GraphVerdict {
  readonly inLogOrder: boolean;
  readonly staleGenerations: number;
  readonly session: GraphVerdict | null;
  readonly realTime: GraphVerdict | null;
}

/** Judges one span by its graph. */
export function judgeSpan(content: SpanContent, tally: Tally, claims: ClaimTally, options: JudgeOptions): SpanVerdict {
  const span = new SpanGraph(content);
  const judged = (graph: Graph): JudgedGraph =>
    judgeGraph({ graph, transaction: (node) => nodeOf(span, node), detail: (edge) => detailOf(span, graph, edge) });
  const backward = backwardEdges(span);
  for (const read of span.badReads) tally.addBadRead(read);
  countReads(span, backward, tally);
  breakClaims(span, backward, claims);
  const plain = judged(span.graph);
  tally.addCycles(plain.cycles);
  tally.components += plain.components;
  for (const [anomaly, count] of plain.counts) tally.count(anomaly, count);
  const ordered = (kind: number): GraphVerdict => {
    // An order takes nothing away.
    if (!plain.serializable && !plain.snapshotIsolation) return plain;
    const verdict = judged(withOrder(span, kind));
    if (plain.serializable) tally.addCycles(verdict.cycles);
    return verdict;
  };
  return {
    serializable: plain.serializable,
    snapshotIsolation: plain.snapshotIsolation,
    inLogOrder: backward.length === 0,
    staleGenerations: new Set(antiEdges(span.graph, backward).map((edge) => span.graph.from(edge))).size,
    session: options.session === true ? ordered(sessionOrder) : null,
    realTime: options.realTime === true ? ordered(timeOrder) : null,
  };
}

function nodeOf(span: SpanGraph, node: number): SpanGraph["nodes"][number] {
  const transaction = span.nodes[node];
  if (transaction === undefined) throw new Error(`no transaction is node ${node}`);
  return transaction;
}

/** Dependencies that lead against the order of the log: a transaction rests on what was overwritten before it. */
function backwardEdges({ graph, nodes }: SpanGraph): number[] {
  const backward: number[] = [];
  for (let edge = 0; edge < graph.edges; edge += 1)
    if (offsetOf(nodes, graph.from(edge)) > offsetOf(nodes, graph.to(edge))) backward.push(edge);
  return backward;
}

function offsetOf(nodes: SpanGraph["nodes"], node: number): number {
  const transaction = nodes[node];
  return transaction?.kind === "logged" || transaction?.kind === "outside" ? (transaction.offset ?? -1) : -1;
}

function antiEdges(graph: Graph, edges: readonly number[]): number[] {
  return edges.filter((edge) => (graph.kind(edge) & antiDependencies) !== 0);
}

function countReads(span: SpanGraph, backward: readonly number[], tally: Tally): void {
  const { graph, keys } = span;
  const lost = new Set<number>();
  const stale = new Set<number>();
  const written = writtenKeys(span);
  for (const edge of antiEdges(graph, backward)) {
    const reader = graph.from(edge);
    const key = keys[graph.label(edge)];
    const writes = key !== undefined && written(reader).has(key);
    if (!writes) stale.add(reader);
    else if (graph.kind(edge) === rw) lost.add(reader);
  }
  tally.count("lost_update", lost.size);
  tally.count("stale_decision", stale.size);
  const common = (a: number, b: number): boolean => Array.from(written(a)).some((key) => written(b).has(key));
  tally.count("write_skew", countWriteSkew(graph, common));
  tally.count("long_fork", countLongForks(graph));
}

function writtenKeys(span: SpanGraph): (node: number) => Set<string> {
  const cache = new Map<number, Set<string>>();
  return (node) => {
    let keys = cache.get(node);
    const transaction = span.nodes[node];
    if (keys === undefined)
      cache.set(node, (keys = new Set(transaction?.kind === "logged" ? transaction.writes.map(({ key }) => key) : [])));
    return keys;
  };
}

/**
 * Who did not get the level that it claimed. Where levels are mixed, a serializable transaction's reads bind, those at
 * level snapshot say what was written before, those at none say nothing; overwrites bind all (Adya's mixing graph).
 */
function breakClaims(span: SpanGraph, backward: readonly number[], claims: ClaimTally): void {
  for (const { reader } of span.badReads)
    if (reader.kind === "logged" && reader.isolation !== "none") claims.break(reader);
  for (const transaction of span.tornSnapshots) claims.break(transaction);
  const { graph } = span;
  const isolation = (node: number): string => isolationOf(span, node);
  const bound = componentsOf(graph, (edge) => {
    const kind = graph.kind(edge);
    if (kind === ww) return true;
    if ((kind & antiDependencies) !== 0) return isolation(graph.from(edge)) === "serializable";
    return isolation(graph.to(edge)) !== "none";
  });
  for (const edge of antiEdges(graph, backward)) {
    const reader = span.nodes[graph.from(edge)];
    const component = bound.of[graph.from(edge)] ?? -1;
    if (reader?.kind !== "logged" || reader.isolation !== "serializable" || component === -1) continue;
    if (component === bound.of[graph.to(edge)]) claims.break(reader);
  }
}

function isolationOf(span: SpanGraph, node: number): string {
  const transaction = span.nodes[node];
  return transaction?.kind === "logged" ? transaction.isolation : "none";
}

function withOrder({ graph, nodes }: SpanGraph, kind: number): Graph {
  const ordered = graph.copy();
  const groups = kind === timeOrder ? [intervalsOf(nodes)] : Array.from(byAgent(nodes).values());
  for (const group of groups) addIntervals(ordered, group, kind, ended);
  return ordered;
}

/** A transaction begins at its snapshot, and has seen what stands at that offset. */
function ended(end: number, begin: number): boolean {
  return end <= begin;
}

function intervalsOf(nodes: SpanGraph["nodes"]): Interval[] {
  return nodes.flatMap((transaction, node) => (transaction.kind === "logged" ? [intervalOf(transaction, node)] : []));
}

function byAgent(nodes: SpanGraph["nodes"]): Map<string, Interval[]> {
  const agents = new Map<string, Interval[]>();
  for (const [node, transaction] of nodes.entries()) {
    if (transaction.kind !== "logged") continue;
    const intervals = agents.get(transaction.agent) ?? [];
    agents.set(transaction.agent, intervals);
    intervals.push(intervalOf(transaction, node));
  }
  return agents;
}

function intervalOf({ snapshot, offset }: LoggedTransaction, node: number): Interval {
  return { node, begin: snapshot, end: offset };
}
