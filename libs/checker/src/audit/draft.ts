import {
  toBytes,
  type DecodedRecord,
  type Genesis,
  type Intent,
  type Limits,
  type Outcome,
  type Position,
  type Submit,
  type Verdict,
} from "@seriatim/protocol";
import type { IntentItem } from "../space/items.ts";

/** The verdict with this outcome on a record, as its record and its predecessor make it. */
export function draftOf(
  { partition, offset, digest, record, time: appendTime }: IntentItem,
  outcome: Outcome,
  { genesis, predecessor, time }: { readonly genesis: Genesis; readonly predecessor: Position; readonly time: number },
): Omit<Verdict, "chain"> {
  const names = isIntent(record) ? record : undefined;
  return {
    space: genesis.space,
    partition,
    offset,
    predecessor,
    digest,
    id: legible(names?.id, genesis.limits),
    agent: legible(names?.agent, genesis.limits),
    time: Math.max(time, appendTime),
    outcome,
  };
}

/** What a verdict commits when it repeats its intent. */
export function committed({ writes, effects, holds, result }: Submit): Outcome {
  return { kind: "committed", writes: writes.map(({ key, value }) => ({ key, value })), effects, holds, result };
}

/** Whether the record names an id. */
export function isIntent(record: DecodedRecord): record is Intent {
  return record.kind !== "genesis" && record.kind !== "invalid";
}

/** A name as a verdict repeats it. */
export function legible(name: string | undefined, { nameBytes }: Pick<Limits, "nameBytes">): string | null {
  return name === undefined || name === "" || toBytes(name).length > nameBytes ? null : name;
}
