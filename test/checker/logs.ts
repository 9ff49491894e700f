import type { LoggedHistory, LoggedTransaction } from "@seriatim/checker";
import { toKey, type Key } from "@seriatim/protocol";

export const key = (text: string): Key => toKey(text);

/** A committed transaction that neither reads nor writes, with `but` what it does. */
export function logged(offset: number, but: Partial<LoggedTransaction> = {}): LoggedTransaction {
  return {
    kind: "logged",
    partition: 0,
    offset,
    snapshot: offset - 1,
    agent: "agent",
    id: `t${offset}`,
    time: offset,
    isolation: "serializable",
    status: "committed",
    points: [],
    ranges: [],
    writes: [],
    effects: [],
    ...but,
  };
}

export function write(text: string): LoggedTransaction["writes"][number] {
  return { key: key(text), deleted: false, blind: false };
}

export function historyOf(
  transactions: readonly LoggedTransaction[],
  but: Partial<Omit<LoggedHistory, "read">> = {},
): LoggedHistory {
  return {
    kind: "logged",
    starts: new Map([[0, 0]]),
    effectsKnown: true,
    ...but,
    async *read(spans) {
      const isInside = ({ partition, offset }: LoggedTransaction): boolean =>
        spans === undefined ||
        spans.some((span) => span.partition === partition && span.from <= offset && offset <= span.to);
      yield transactions.filter(isInside);
    },
  };
}
