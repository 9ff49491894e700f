import type { EffectPlace } from "@seriatim/protocol";
import type { EffectId } from "@seriatim/effects-worker";

/** An effect as people name it: `PARTITION@OFFSET#INDEX`, with `/undo` for the inverse of a hold. */
export function effectName({ partition, offset, index, side }: Omit<EffectId, "digest">): string {
  return `${partition}@${offset}#${index}${side === "undo" ? "/undo" : ""}`;
}

export interface NamedEffect extends EffectPlace {
  readonly partition: number;
}

const form = /^(\d{1,5})@(\d{1,16})#(\d{1,9})(\/undo)?$/;

/** Undefined when it is no name of an effect. */
export function parseEffectName(text: string): NamedEffect | undefined {
  const [, partition, offset, index, undo] = form.exec(text) ?? [];
  if (partition === undefined || !Number.isSafeInteger(Number(offset))) return undefined;
  const side = undo === undefined ? "forward" : "undo";
  return { partition: Number(partition), offset: Number(offset), index: Number(index), side };
}
