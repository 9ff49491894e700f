import * as fc from "fast-check";
import type { StoredRecord } from "../../libs/checker/src/space/items.ts";
import type { BothLogs } from "./stored-space.ts";

/** What becomes of a log. `at` and `bit` are taken modulo what there is. */
export interface Damage {
  readonly log: "intents" | "verdicts";
  readonly kind: "flip" | "drop" | "swap" | "cut" | "repeat";
  readonly at: number;
  readonly bit: number;
}

export const damages: fc.Arbitrary<Damage> = fc.record({
  log: fc.constantFrom("intents", "verdicts"),
  kind: fc.constantFrom("flip", "drop", "swap", "cut", "repeat"),
  at: fc.nat(60),
  bit: fc.nat(10_000),
});

/** The damaged logs; undefined where this damage leaves them as they are. */
export function damaged(stored: BothLogs, damage: Damage): BothLogs | undefined {
  const records = changed(stored[damage.log], damage);
  return records === undefined ? undefined : { ...stored, [damage.log]: records };
}

function changed(
  records: readonly StoredRecord[],
  { kind, at: place, bit }: Damage,
): readonly StoredRecord[] | undefined {
  const at = place % records.length;
  const [record, next] = records.slice(at, at + 2);
  if (record === undefined) return undefined;
  switch (kind) {
    case "flip":
      if (record.value.length === 0) return undefined;
      return records.with(at, { ...record, value: flipped(record.value, bit) });
    case "drop":
      return records.toSpliced(at, 1);
    case "swap":
      if (next === undefined || Buffer.compare(record.value, next.value) === 0) return undefined;
      return records.with(at, { ...record, value: next.value }).with(at + 1, { ...next, value: record.value });
    case "cut":
      return records.slice(0, at);
    case "repeat":
      return repeated(records, record);
  }
}

export function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  const at = bit % (bytes.length * 8);
  copy[at >> 3] = (copy[at >> 3] ?? 0) ^ (1 << (at & 7));
  return copy;
}

/** A record once more, at the end: of the verdicts log, whose places mean nothing. */
function repeated(records: readonly StoredRecord[], record: StoredRecord): readonly StoredRecord[] {
  const last = records.at(-1)?.offset ?? 0;
  return [...records, { ...record, offset: last + 1 }];
}
