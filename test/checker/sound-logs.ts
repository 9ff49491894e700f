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

/** The log once `lost` verdicts from `offset` on were lost, `early` came after them, and all were sent again. */
export function healed({ intents, verdicts }: BothLogs, offset: number, lost: number, early: number): BothLogs {
  const place = intents.findIndex((record) => record.offset >= offset);
  if (place < 0) return { intents, verdicts };
  const values = [verdicts.slice(0, place), verdicts.slice(place + lost, place + lost + early), verdicts.slice(place)];
  return { intents, verdicts: values.flat().map(({ value }, at) => ({ offset: at, time: 0, value })) };
}
