import type { Range, ScanOptions } from "@seriatim/client";
import type { Random } from "@seriatim/log";
import { bulkKeys, wideKeys } from "./founding.ts";

/** Many want to write them, and the first most of all. */
const hotKeys = ["hot/a", "hot/a", "hot/b"];

/** They are created and deleted again; the order of their bytes is not that of their UTF-16 units. */
const busyKeys = ["a", "ab", "z", "é", "\uffff", "\u{10000}", "\u{10000}a"].map((rest) => `k/${rest}`);

export function oneOf<T>(random: Random, all: readonly T[]): T {
  return all[random.below(all.length)] as T;
}

export function hotKey(random: Random): string {
  return oneOf(random, hotKeys);
}

export function busyKey(random: Random): string {
  return oneOf(random, busyKeys);
}

export function bulkKey(random: Random): string {
  return oneOf(random, bulkKeys);
}

export function anyKey(random: Random): string {
  const kind = random.below(10);
  if (kind < 5) return busyKey(random);
  return kind < 9 ? bulkKey(random) : oneOf(random, wideKeys);
}

export function someKeys(random: Random): string[] {
  // More than are read at once.
  if (random.chance(0.1)) return bulkKeys.slice(0, 300);
  return Array.from({ length: 2 + random.below(4) }, () => anyKey(random));
}

export function someRange(random: Random): Range {
  const kind = random.below(10);
  if (kind < 2) return { prefix: "bulk/" };
  if (kind < 6) return { prefix: oneOf(random, ["k/", "k/a", "k/\u{10000}", "hot/"]) };
  const [from, to] = [busyKey(random), oneOf(random, [...busyKeys, "k0"])];
  return Buffer.compare(Buffer.from(from), Buffer.from(to)) < 0 ? { from, to } : { from: "bulk/1", to: "bulk/5" };
}

/** In rare cases of more than a page. */
export function rangeToCount(random: Random): Range {
  return random.chance(0.1) ? { prefix: oneOf(random, ["", "wide/"]) } : someRange(random);
}

export function someOptions(random: Random): ScanOptions {
  const reverse = random.chance(0.4);
  if (random.chance(0.5)) return { reverse };
  return { reverse, limit: random.chance(0.5) ? 1 + random.below(6) : 200 + random.below(400) };
}
