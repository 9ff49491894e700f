import type { Faults } from "./faults.ts";
import { whole } from "./numbers.ts";

/** A whole number from 1 to `greatest`. */
export function count(text: string, name: string, greatest: number, faults: Faults): number {
  return upTo(whole(text, name, 1, faults) ?? 1, name, greatest, faults);
}

export function upTo(value: number, name: string, greatest: number, faults: Faults): number {
  if (value > greatest) faults.add(`${name} is ${value}; at most ${greatest} is possible`);
  return value;
}
