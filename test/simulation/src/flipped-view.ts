import type { Random } from "@seriatim/log";
import type { Digest } from "@seriatim/protocol";
import type { View } from "@seriatim/view";
import { pick } from "./plan.ts";

type Loaded = Pick<View, "position" | "recentWrites" | "recentClaims" | "recentHolds">;

/**
 * The view, but for one bit of what a sequencer loads its state from: the version of a key that many write, a claim, a
 * hold, or log time. Undefined when the view holds nothing to flip yet.
 */
export function flippedView(view: View, partition: number, random: Random): View | undefined {
  const flip = pick(random, flips);
  const flipped = flip(view, partition, random);
  return flipped === undefined ? undefined : withFlipped(view, partition, flipped);
}

type Flip = (view: View, partition: number, random: Random) => Partial<Loaded> | undefined;

const flips: readonly Flip[] = [flipVersion, flipVersion, flipClaim, flipHold, flipTime];

function flipVersion(view: View, partition: number, random: Random): Partial<Loaded> | undefined {
  const writes = [...view.recentWrites(partition, -1)];
  const last = writes.findLast(({ key }) => key.endsWith("/count") || key.endsWith("/business"));
  if (last === undefined) return undefined;
  const version = last.version ^ (1 << random.below(4));
  const others = writes.filter((write) => write.key !== last.key);
  return { recentWrites: () => [...others, { ...last, version }] };
}

function flipClaim(view: View, partition: number, random: Random): Partial<Loaded> | undefined {
  const claims = [...view.recentClaims(partition, -1)];
  const last = claims.at(-1 - random.below(3));
  if (last === undefined) return undefined;
  const digest = (String.fromCharCode(last.digest.charCodeAt(0) ^ 1) + last.digest.slice(1)) as Digest;
  return { recentClaims: () => [...claims.filter((claim) => claim !== last), { ...last, digest }] };
}

function flipHold(view: View, partition: number, random: Random): Partial<Loaded> | undefined {
  const holds = [...view.recentHolds(partition, -1)];
  const last = holds.at(-1 - random.below(3));
  if (last === undefined) return undefined;
  return {
    recentHolds: () => [...holds.filter((hold) => hold !== last), { ...last, deadline: last.deadline ^ (1 << 12) }],
  };
}

function flipTime(view: View, partition: number): Partial<Loaded> | undefined {
  const position = view.position(partition);
  if (position.offset < 0) return undefined;
  return { position: () => ({ ...view.position(partition), time: position.time ^ (1 << 17) }) };
}

/** A view holds its parts in private, so that each method has to be called on itself. */
function withFlipped(view: View, partition: number, flipped: Partial<Loaded>): View {
  return new Proxy(view, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== "function") return own;
      const other: unknown = Reflect.get(flipped, name);
      return (...parts: unknown[]): unknown =>
        Reflect.apply(typeof other === "function" && parts[0] === partition ? other : own, target, parts);
    },
  });
}
