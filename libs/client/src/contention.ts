import { inRange, type Key, type KeyRange, type Submit } from "@seriatim/protocol";
import type { RefusedOutcome } from "./answer.ts";

/** A key, or a range, as something that several contend for. */
export function nameOfRange({ from, to }: KeyRange): string {
  // No key holds it.
  return `${from}\0${to}`;
}

/**
 * What the intent was refused over *and* writes itself, a key or a range that it read and writes into. Two who do so
 * refuse each other again and again; who only reads what others write does not.
 */
export function contendedBy(intent: Submit, { conflicts }: RefusedOutcome): string[] {
  const names = new Set<string>();
  for (const { key } of conflicts) for (const name of namesAround(key, intent)) names.add(name);
  return [...names];
}

/** Whether the intent writes what the name stands for. */
export function writes(intent: Pick<Submit, "writes">, name: string): boolean {
  const [from = "", to] = name.split("\0");
  return intent.writes.some(({ key }) => (to === undefined ? key === from : inRange(key, { from, to } as KeyRange)));
}

function namesAround(key: Key, { ranges, writes: written }: Submit): string[] {
  const around = ranges.filter((range) => inRange(key, range) && written.some((write) => inRange(write.key, range)));
  return written.some((write) => write.key === key) ? [key, ...around.map(nameOfRange)] : around.map(nameOfRange);
}
