import { idempotencyKey } from "@seriatim/effects";
import { fromBytes, type Genesis, type Verdict } from "@seriatim/protocol";
import type { Receiver } from "./receiver.ts";

/** What the commits of a space come to outside of it. */
export interface Asked {
  /** The arguments of every effect, as JSON, by its key. */
  readonly effects: Map<string, string>;
  /** Actions that committed and have called something that is undone unless they do. */
  readonly held: Set<string>;
}

export interface EffectsJudgement {
  readonly asked: number;
  readonly held: number;
  /** Asked for and not done. */
  readonly lost: readonly string[];
  /** Done and not asked for, twice under two keys, or with other arguments; reserved for nothing. */
  readonly wrong: readonly string[];
}

export function noneAsked(): Asked {
  return { effects: new Map(), held: new Set() };
}

/** Adds what the commits of one partition ask for. */
export function noteAsked(
  asked: Asked,
  { space }: Pick<Genesis, "space">,
  partition: number,
  verdicts: readonly Verdict[],
): void {
  for (const { offset, id, outcome } of verdicts) {
    if (outcome.kind !== "committed" || id === null) continue;
    for (const [index, effect] of outcome.effects.entries()) {
      const key = idempotencyKey({ space, partition, offset, id, index, side: "forward" });
      asked.effects.set(key, Buffer.from(effect.arguments).toString());
    }
    for (const { key } of outcome.writes) {
      const [, kind, action = ""] = fromBytes(key).split("/");
      if (kind === "entries" && action.endsWith(".held")) asked.held.add(action);
    }
  }
}

/** Holds what the receiver did against what the commits asked for. Each action has one effect at most. */
export function judgeEffects({ effects, held }: Asked, receiver: Receiver): EffectsJudgement {
  const actions = new Set<string>();
  const wrong = [...receiver.violations];
  for (const [key, { args }] of receiver.acts) {
    if (effects.get(key) !== JSON.stringify(args)) wrong.push(`done, and not asked for: ${JSON.stringify(args)}`);
    if (actions.has(args.action)) wrong.push(`done under two keys: ${args.action}`);
    actions.add(args.action);
  }
  const lost = [...effects].filter(([key]) => !receiver.acts.has(key)).map(([, args]) => args);
  const standing = [...receiver.reserved.values()].map(({ action }) => action);
  const reserved = new Set(standing);
  for (const action of standing) if (!held.has(action)) wrong.push(`reserved, and not committed: ${action}`);
  if (reserved.size !== standing.length) wrong.push("something is reserved twice");
  lost.push(...[...held].filter((action) => !reserved.has(action)).map((action) => `the reservation of ${action}`));
  return { asked: effects.size, held: held.size, lost, wrong };
}
