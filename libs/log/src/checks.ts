import { Failure } from "@seriatim/protocol";
import type { Bounds, Log } from "./port.ts";

/** @throws Failure `invalid_argument` when `log` has no such partition. */
export function checkPartition(log: Pick<Log, "name" | "partitions">, partition: number): void {
  if (Number.isInteger(partition) && partition >= 0 && partition < log.partitions) return;
  const message = `log ${log.name} has no partition ${partition}; name one below ${log.partitions}`;
  throw new Failure("invalid_argument", message);
}

/** @throws Failure `log_changed` when a reader that has come to `position` can no longer go on there. */
export function checkPosition(log: Pick<Log, "name">, partition: number, position: number, bounds: Bounds): void {
  if (position >= bounds.start && position <= bounds.end) return;
  const found = `partition ${partition} of log ${log.name} now holds offsets ${bounds.start} to ${bounds.end}`;
  const message = `${found}, which ends before or starts after ${position}: it was truncated, recreated or replaced; see what happened to it, then read anew`;
  throw new Failure("log_changed", message);
}

export function closedLog(log: Pick<Log, "name">): Failure {
  return new Failure("closed", `log ${log.name} was closed; open it again`);
}
