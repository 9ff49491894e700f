import type { Digest, Offset, Position, Verdict } from "@seriatim/protocol";
import { RecentVerdicts } from "./recent-verdicts.ts";

/**
 * How a verdict stands to those before it:
 *
 * - `next`: the one that follows
 * - `repeat`: said before, to the byte; `forgotten`: answers something so old that nobody here remembers how
 * - `second`: another verdict at an offset that has one
 * - `early`: verdicts before it are missing so far
 * - `fork`: it follows something else than what stands here
 */
export type Standing = "next" | "repeat" | "forgotten" | "second" | "early" | "fork";

/** The chain of one partition's verdicts, as a reader follows it. */
export class Chain {
  #position: Position | undefined;
  readonly #recent = new RecentVerdicts();

  /** @param position undefined in the midst of a log: then the first verdict is taken at its word. */
  constructor(position: Position | undefined) {
    this.#position = position;
  }

  get position(): Position | undefined {
    return this.#position;
  }

  /** Says how `verdict` stands, and follows it if it is the next. */
  take(verdict: Verdict): Standing {
    const standing = this.#standing(verdict);
    if (standing === "next") this.moveTo(verdict);
    return standing;
  }

  /** Follows a verdict whatever it follows. */
  moveTo({ offset, chain }: Position): void {
    this.#position = { offset, chain };
    this.#recent.add(offset, chain);
  }

  #standing({ offset, predecessor, chain }: Verdict): Standing {
    const position = this.#position;
    if (position === undefined) return "next";
    if (offset <= position.offset) return this.#repeated(offset, chain);
    if (predecessor.offset > position.offset) return "early";
    return predecessor.offset === position.offset && predecessor.chain === position.chain ? "next" : "fork";
  }

  #repeated(offset: Offset, chain: Digest): Standing {
    const isKnown = this.#recent.has(offset, chain);
    if (isKnown === undefined) return "forgotten";
    return isKnown ? "repeat" : "second";
  }
}
