import type { Faults } from "./faults.ts";

/** A number above 0. */
export function positive(text: string, name: string, faults: Faults): number | undefined {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= 1_000_000) return value;
  faults.add(`${name} is ${JSON.stringify(text)}; a number above 0 is wanted`);
  return undefined;
}

/** A whole number from `least` on; undefined when it is not given, or has a fault. */
export function whole(text: string | undefined, name: string, least: number, faults: Faults): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value) && value >= least) return value;
  faults.add(`${name} is ${JSON.stringify(text)}; a whole number from ${least} on is wanted`);
  return undefined;
}
