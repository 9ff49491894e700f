import { createHash } from "node:crypto";

/**
 * Shares partitions out among members: each gets as many as any other, give or take one, and a change of the members
 * moves few of them. Every member comes to the same answer, whatever the order of the names.
 *
 * Each partition goes to the member that ranks highest for it (rendezvous hashing) and has room.
 */
export function shareOut(partitions: readonly number[], members: readonly string[]): Map<string, number[]> {
  const shares = new Map(members.toSorted().map((member) => [member, [] as number[]]));
  const room = Math.ceil(partitions.length / Math.max(1, members.length));
  // The first so many members may be full; the rest hold one less, or the last ones would starve.
  let full = partitions.length - (room - 1) * members.length;
  for (const partition of partitions.toSorted((a, b) => a - b)) {
    const share = ranked(partition, [...shares.keys()])
      .map((member) => shares.get(member) ?? [])
      .find(({ length }) => length < room - 1 || (length === room - 1 && full > 0));
    if (share?.push(partition) === room) full -= 1;
  }
  return shares;
}

function ranked(partition: number, members: readonly string[]): string[] {
  const scores = members.map((member) => ({ member, score: score(partition, member) }));
  return scores.toSorted((a, b) => (a.score < b.score ? 1 : -1)).map(({ member }) => member);
}

function score(partition: number, member: string): string {
  return createHash("sha256").update(`${partition} ${member}`).digest("hex");
}
