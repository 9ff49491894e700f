import { asBuffer } from "./buffers.ts";
import type { Effect } from "./types.ts";

/** What intents and verdicts have in common as `avsc` has it. */
export interface WireEffect {
  readonly name: string;
  readonly lane: string;
  readonly arguments: Buffer;
}

export function optionalBuffer(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : asBuffer(bytes);
}

export function effectToWire(effect: Effect): WireEffect {
  return { name: effect.name, lane: effect.lane, arguments: asBuffer(effect.arguments) };
}
