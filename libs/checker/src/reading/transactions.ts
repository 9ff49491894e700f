import type { DecidedRecord } from "../audit/decided.ts";
import type { LoggedTransaction, Status } from "../history.ts";
import type { Offset, Outcome } from "@seriatim/protocol";

/**
 * The transaction that a record is; undefined for one that is none, such as a cancel, or the same intent again.
 * @param left where in the effects log an effect first left, by its index
 */
export function transactionOf(
  { partition, offset, time, intent, outcome }: DecidedRecord,
  left: (index: number) => Offset | null,
): LoggedTransaction | undefined {
  const record = intent?.record;
  const status = outcome === undefined ? undefined : statusOf(outcome);
  if (record?.kind !== "submit" || status === undefined) return undefined;
  const { snapshot, agent, id, isolation, points, ranges, writes, effects } = record;
  return {
    kind: "logged",
    partition,
    offset,
    snapshot,
    agent,
    id,
    time,
    isolation,
    status,
    points,
    ranges,
    writes: writes.map(({ key, value, blind }) => ({ key, deleted: value === null, blind })),
    effects: effects.map(({ name, lane }, index) => ({ name, lane, left: left(index) })),
  };
}

/** Undefined where nothing was asked for that could be understood, or was asked before. */
function statusOf(outcome: Outcome): Status | undefined {
  switch (outcome.kind) {
    case "committed":
      return "committed";
    case "refused":
      return outcome.code === "invalid" ? undefined : "aborted";
    case "genesis":
    case "cancelled":
    case "held":
    case "expired":
    case "repeated":
      return undefined;
  }
}
