import { fromBytes, inRange, type Key, type Offset } from "@seriatim/protocol";
import { rangeRw, rangeWr, rw, wr, ww, type Graph } from "../../graph/graph.ts";
import type { LoggedTransaction } from "../../history.ts";
import { noDetail, type EdgeDetail } from "../told-cycles.ts";
import type { SpanGraph } from "./span-graph.ts";

/** What an edge of a span stands for: found again when it is told, which few edges are. */
export function detailOf(span: SpanGraph, graph: Graph, edge: number): EdgeDetail {
  const key = span.keys[graph.label(edge)];
  const [from, to] = [span.nodes[graph.from(edge)], span.nodes[graph.to(edge)]];
  if (key === undefined) return noDetail;
  const detail = { ...noDetail, key: fromBytes(key) };
  const before = from?.offset ?? null;
  const after = to?.offset ?? null;
  switch (graph.kind(edge)) {
    case ww:
      return { ...detail, before, after, change: changeBy(span, key, after) };
    case wr:
      return { ...detail, before, change: changeBy(span, key, before) };
    case rangeWr:
      return { ...detail, before, change: changeBy(span, key, before), range: rangeWith(to, key) };
    case rw:
    case rangeRw: {
      const range = graph.kind(edge) === rw ? null : rangeWith(from, key);
      return { ...detail, before: seenBy(span, from, key), after, change: changeBy(span, key, after), range };
    }
    default:
      return noDetail;
  }
}

function changeBy(span: SpanGraph, key: Key, offset: Offset | null): EdgeDetail["change"] {
  const versions = span.versions.of(key);
  const place = versions?.offsets.indexOf(offset ?? -1) ?? -1;
  if (versions === undefined || offset === null || place < 0) return null;
  if (versions.deletions[place] === true) return "delete";
  return span.content.isInsert(key, offset) ? "insert" : "update";
}

function rangeWith(transaction: SpanGraph["nodes"][number] | undefined, key: Key): EdgeDetail["range"] {
  if (transaction?.kind !== "logged") return null;
  return transaction.ranges.find((range) => inRange(key, range)) ?? null;
}

function seenBy(span: SpanGraph, reader: SpanGraph["nodes"][number] | undefined, key: Key): Offset | null {
  if (reader?.kind !== "logged") return null;
  const point = reader.points.find((each) => each.key === key);
  return point === undefined ? seenInRange(span, reader, key) : point.version;
}

function seenInRange(span: SpanGraph, reader: LoggedTransaction, key: Key): Offset | null {
  const versions = span.versions.of(key);
  const place = versions?.at(Math.min(reader.snapshot, reader.offset - 1)) ?? -1;
  return versions?.deletions[place] === false ? (versions.offsets[place] ?? null) : null;
}
