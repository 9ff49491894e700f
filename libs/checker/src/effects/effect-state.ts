import type { Digest, EffectPlace, EffectRecord, EffectReport, Offset } from "@seriatim/protocol";

export const effectStandings = ["pending", "claimed", "done", "failed", "unknown", "dropped"] as const;
export type EffectStanding = (typeof effectStandings)[number];

/** What the effects log says of one effect. */
export class EffectState {
  readonly place: EffectPlace;
  /** Where it was first claimed, or reported on; null before. */
  left: Offset | null = null;
  standing: EffectStanding = "pending";
  /** Of the arguments for which it was called; more than one only where something is wrong. */
  readonly digests: Digest[] = [];
  readonly #claims = new Set<Offset>();

  constructor(place: EffectPlace) {
    this.place = place;
  }

  /** @returns what is wrong with the record, as a clause that follows the effect's name */
  take(at: Offset, record: EffectRecord): string | undefined {
    if (!this.digests.includes(record.arguments)) this.digests.push(record.arguments);
    switch (record.kind) {
      case "claim":
        this.#claims.add(at);
        this.left ??= at;
        if (this.standing === "pending") this.standing = "claimed";
        return undefined;
      case "report":
        return this.#report(at, record);
      case "decision":
        this.standing = record.act === "retry" ? "pending" : record.act === "drop" ? "dropped" : "done";
        return undefined;
    }
  }

  #report(at: Offset, { claim, result }: EffectReport): string | undefined {
    this.left ??= at;
    if (claim !== null && !this.#claims.has(claim))
      return `has an outcome at ${at} of the effects log, of a claim at ${claim} that was not made`;
    this.standing = result.kind === "again" ? "pending" : result.kind;
    return undefined;
  }
}
