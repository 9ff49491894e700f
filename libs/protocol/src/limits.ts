import { Failure } from "./failure.ts";
import type { Genesis, Limits } from "./types.ts";

const kibibyte = 1024;

/** The limits of a new space, unless set otherwise. Those in force stand in its genesis. */
export const defaultLimits: Limits = {
  keyBytes: 512,
  valueBytes: 256 * kibibyte,
  resultBytes: 64 * kibibyte,
  nameBytes: 256,
  effectBytes: 64 * kibibyte,
  points: 1_000,
  ranges: 100,
  writes: 500,
  effects: 100,
  holds: 16,
  leaseMs: 3_600_000,
  recordBytes: 900 * kibibyte,
  verdictBytes: 960 * kibibyte,
  conflicts: 16,
  partitionKeys: 1,
  window: 1_000_000,
};

/** No key may be longer than this, whatever a genesis says: SQLite's and Kafka's paths are tried with it. */
const highestKeyBytes = 512;

/** A Kafka batch carries at most 2 MiB by the settings that spaces are made with; a record must fit with room to spare. */
const highestRecordBytes = 1024 * kibibyte;

/** A sequencer keeps the ids of a window in a map, which holds 2^24 entries at most. */
const highestWindow = 2 ** 24 - 1;

/** A month: a hold keeps others waiting. */
const highestLeaseMs = 31 * 24 * 3_600_000;

/** Room for everything in a verdict but its conflicts, names and arguments. */
const verdictOverhead = 512;

/** The least `verdictBytes` with which every refusal fits, whatever it names, and every hold. */
export function leastVerdictBytes(
  limits: Pick<Limits, "conflicts" | "keyBytes" | "nameBytes" | "effectBytes">,
): number {
  const { conflicts, keyBytes, nameBytes, effectBytes } = limits;
  return verdictOverhead + 2 * nameBytes + Math.max(conflicts * (keyBytes + 24), 2 * nameBytes + effectBytes);
}

/**
 * Checks what a new genesis says.
 * @throws Failure `invalid_argument` naming the limit, its value and what is allowed.
 */
export function checkGenesis(genesis: Pick<Genesis, "partitions" | "limits">): void {
  const { partitions, limits } = genesis;
  within("partitions", partitions, 1, 10_000);
  within("keyBytes", limits.keyBytes, 3, highestKeyBytes);
  within("nameBytes", limits.nameBytes, 16, 1_024);
  within("conflicts", limits.conflicts, 1, 1_000);
  within("holds", limits.holds, 0, 1_000);
  within("leaseMs", limits.leaseMs, 1, highestLeaseMs);
  within("window", limits.window, 1, highestWindow);
  within("recordBytes", limits.recordBytes, 64, highestRecordBytes);
  for (const name of ["valueBytes", "resultBytes", "effectBytes", "points", "ranges", "writes", "effects"] as const)
    within(name, limits[name], 0, highestRecordBytes);
  const room = " (every refusal and hold must fit, which names up to: conflicts, keyBytes, nameBytes, effectBytes)";
  within("verdictBytes", limits.verdictBytes, leastVerdictBytes(limits), highestRecordBytes, room);
  within("partitionKeys", limits.partitionKeys, 0, 1);
  if (limits.partitionKeys === 0 && partitions !== 1)
    throw new Failure(
      "invalid_argument",
      `a space of ${partitions} partitions cannot allow any number of partition keys in an intent: set partitionKeys to 1`,
    );
}

function within(name: string, value: number, least: number, most: number, why = ""): void {
  if (Number.isSafeInteger(value) && value >= least && value <= most) return;
  throw new Failure(
    "invalid_argument",
    `${name} is ${value}; a whole number from ${least} to ${most} is allowed${why}`,
  );
}
