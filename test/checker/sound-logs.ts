import * as fc from "fast-check";
import { described, logs as anyLogs, type Log } from "../core/logs.ts";
import { verdictsOf } from "../core/model.ts";
import type { BothLogs } from "./stored-space.ts";

/** Small and nasty logs, which a failure shows record by record. */
export const logs: fc.Arbitrary<Log> = anyLogs.map((log) =>
  Object.assign(log, { [fc.toStringMethod]: () => described(log) }),
);

/** The log with the verdicts that the rules give. */
export function storedOf({ genesis, partition, records }: Log): BothLogs {
  const verdicts = verdictsOf(genesis, partition, records).map((value, offset) => ({ offset, time: 0, value }));
  return { intents: records.map(({ offset, appendTime: time, bytes: value }) => ({ offset, time, value })), verdicts };
}
