import type { Offset } from "@seriatim/protocol";
import type { LoggedTransaction, Span } from "../../history.ts";
import type { SpanContent } from "./span-graph.ts";
import type { StreamPass } from "./stream-pass.ts";

/** More transactions than this in one span are not judged by a graph: it would not fit in memory. */
export const mostInSpan = 2_000_000;

/** A span with nothing kept of it. */
export interface TooLarge {
  readonly tooLarge: number;
}

/** Cuts one partition, as it is read again, into its spans. */
export class SpanCollector {
  readonly #pass: StreamPass;
  readonly #spans: readonly Span[];
  #next = 0;
  #committed: LoggedTransaction[] = [];
  #others = new Map<Offset, LoggedTransaction>();
  #count = 0;

  constructor(pass: StreamPass, spans: readonly Span[]) {
    this.#pass = pass;
    this.#spans = spans;
  }

  /** The span that ended before `transaction`, if one did. */
  add(transaction: LoggedTransaction): SpanContent | TooLarge | undefined {
    const span = this.#spans[this.#next];
    if (span === undefined || transaction.offset < span.from) return undefined;
    if (transaction.offset <= span.to) {
      this.#keep(transaction);
      return undefined;
    }
    const content = this.#take(span);
    this.add(transaction);
    return content;
  }

  finish(): SpanContent | TooLarge | undefined {
    const span = this.#spans[this.#next];
    return span === undefined ? undefined : this.#take(span);
  }

  #keep(transaction: LoggedTransaction): void {
    this.#count += 1;
    if (this.#count > mostInSpan) this.#committed = [];
    else if (transaction.status === "committed") this.#committed.push(transaction);
    else this.#others.set(transaction.offset, transaction);
  }

  #take(span: Span): SpanContent | TooLarge {
    const { partition, start, keys } = this.#pass;
    const isInsert: SpanContent["isInsert"] = (key, offset) => keys.isBirth(key, offset);
    const content =
      this.#count > mostInSpan
        ? { tooLarge: this.#count }
        : { partition, start, from: span.from, committed: this.#committed, others: this.#others, isInsert };
    this.#next += 1;
    this.#committed = [];
    this.#others = new Map();
    this.#count = 0;
    return content;
  }
}
