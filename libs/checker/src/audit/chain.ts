import { beforeGenesis, type Digest, type Offset, type Position, type Verdict } from "@seriatim/protocol";
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
  readonly #start: Offset;
  readonly #recent = new RecentVerdicts();

  /**
   * @param start where the log is read from. In its midst the first verdict is taken at its word, once it is the one that
   * follows what stands below: those that came early may stand before it.
   */
  constructor(start: Offset) {
    this.#start = start;
    this.#position = start === 0 ? beforeGenesis : undefined;
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
    if (position === undefined) return predecessor.offset < this.#start ? "next" : "early";
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
