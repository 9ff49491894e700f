import { idempotencyKey } from "@seriatim/effects";
import type { Genesis, Verdict } from "@seriatim/protocol";
import type { Receiver } from "./receiver.ts";

export interface EffectsJudgement {
  /** Effects of commits. */
  readonly asked: number;
  /** Asked for and not done. */
  readonly lost: readonly string[];
  /** Done and not asked for, under another key twice, or with other arguments. */
  readonly wrong: readonly string[];
}

/** The arguments of every effect of a commit, as JSON, by its key. */
export function askedOf(
  { space }: Pick<Genesis, "space">,
  partition: number,
  verdicts: readonly Verdict[],
): Map<string, string> {
  const asked = new Map<string, string>();
  for (const { offset, id, outcome } of verdicts) {
    if (outcome.kind !== "committed" || id === null) continue;
    for (const [index, effect] of outcome.effects.entries()) {
      const key = idempotencyKey({ space, partition, offset, id, index, side: "forward" });
      asked.set(key, Buffer.from(effect.arguments).toString());
    }
  }
  return asked;
}

/** Holds what the receiver did against what the commits asked for. Each action has one effect at most. */
export function judgeEffects(asked: ReadonlyMap<string, string>, receiver: Receiver): EffectsJudgement {
  const actions = new Set<string>();
  const wrong = [...receiver.violations];
  for (const [key, { args }] of receiver.acts) {
    const { action } = args as { readonly action: string };
    if (asked.get(key) !== JSON.stringify(args)) wrong.push(`done, and not asked for: ${JSON.stringify(args)}`);
    if (actions.has(action)) wrong.push(`done under two keys: ${action}`);
    actions.add(action);
  }
  const lost = [...asked].filter(([key]) => !receiver.acts.has(key)).map(([, args]) => args);
  return { asked: asked.size, lost, wrong };
}
