import type { LoggedHistory, LoggedTransaction } from "../../history.ts";
import type { JudgeOptions } from "../../judgement.ts";
import type { GraphVerdict } from "../graph-verdict.ts";
import type { Tally } from "../tally.ts";
import type { ClaimTally } from "./claim-tally.ts";
import { coarse } from "./spans.ts";
import { SpanCollector, type TooLarge } from "./span-collector.ts";
import type { SpanContent } from "./span-graph.ts";
import { judgeSpan } from "./span-judge.ts";
import type { StreamPass } from "./stream-pass.ts";

/** What the second look found against each condition. */
export interface Found {
  outOfLogOrder: boolean;
  plain: GraphVerdict;
  session: GraphVerdict;
  realTime: GraphVerdict;
  staleGenerations: number;
  /** Transactions in spans that are too large to be judged by a graph. */
  unjudged: number;
}

const sound: GraphVerdict = { serializable: true, snapshotIsolation: true };

/** Reads again what can be in a cycle, span by span, and judges each by its graph. */
export async function secondLook(
  history: LoggedHistory,
  passes: ReadonlyMap<number, StreamPass>,
  tally: Tally,
  claims: ClaimTally,
  options: JudgeOptions,
  onRead: (count: number) => void,
): Promise<Found> {
  const found: Found = {
    outOfLogOrder: false,
    plain: sound,
    session: sound,
    realTime: sound,
    staleGenerations: 0,
    unjudged: 0,
  };
  for await (const content of spansOf(history, passes, onRead)) {
    if ("tooLarge" in content) {
      found.unjudged += content.tooLarge;
      continue;
    }
    const verdict = judgeSpan(content, tally, claims, options);
    found.outOfLogOrder ||= !verdict.inLogOrder;
    found.plain = both(found.plain, verdict);
    found.session = both(found.session, verdict.session ?? sound);
    found.realTime = both(found.realTime, verdict.realTime ?? sound);
    found.staleGenerations += verdict.staleGenerations;
  }
  return found;
}

function both(one: GraphVerdict, other: GraphVerdict): GraphVerdict {
  return {
    serializable: one.serializable && other.serializable,
    snapshotIsolation: one.snapshotIsolation && other.snapshotIsolation,
  };
}

async function* spansOf(
  history: LoggedHistory,
  passes: ReadonlyMap<number, StreamPass>,
  onRead: (count: number) => void,
): AsyncGenerator<SpanContent | TooLarge> {
  const collectors = new Map<number, SpanCollector>();
  const spans = Array.from(passes.values()).flatMap((pass) => {
    const own = pass.spans.of(pass.partition);
    collectors.set(pass.partition, new SpanCollector(pass, own));
    return own;
  });
  if (spans.length === 0) return;
  const cut = (transaction: LoggedTransaction): SpanContent | TooLarge | undefined =>
    collectors.get(transaction.partition)?.add(transaction);
  for await (const batch of history.read(coarse(spans))) {
    for (const transaction of batch) {
      const content = cut(transaction);
      if (content !== undefined) yield content;
    }
    onRead(batch.length);
  }
  for (const collector of collectors.values()) {
    const content = collector.finish();
    if (content !== undefined) yield content;
  }
}
