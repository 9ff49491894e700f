import type { OwnAppend } from "./append.ts";
import type { Committer } from "./committer.ts";
import { Follower, type Absence } from "./follower.ts";
import type { Identity } from "./frames.ts";
import { Holder } from "./holder.ts";
import { absenceAt, socketFileAt, type SocketFile } from "./listening.ts";

/** How long a candidate waits before it listens, in ms: of many at once, the first is followed by the others. */
const candidacy = { base: 5, jitter: 20 };

/** How long until the next try where there can be no connection, in ms; doubled each time. */
const backoff = { base: 100, cap: 5_000 };

/** What a process is for the others that have the file open. */
export type Role = "holds" | "follows" | "alone";

export interface LinkOptions {
  readonly path: string;
  readonly identity: Identity;
  readonly committer: Committer;
  /** The most that a record may have, in bytes. */
  readonly recordBytes: number;
  readonly isFileInPlace: () => boolean;
  /** There may be new verdicts. */
  readonly onNews: () => void;
  /** `role` or `isWatched` has changed. */
  readonly onChange: () => void;
}

/**
 * One process's part in the group commit of a file: it follows the process that listens at the path, or listens there
 * itself where nobody answers. `listen` is the election. All of it is only faster: whoever has no answer commits
 * directly (invariant 4) and the same bytes (invariant 6).
 */
export class Link {
  readonly #options: LinkOptions;
  #role: Follower | Holder | undefined;
  #isWatching = false;
  #isBegun = false;
  #isEnded = false;
  #endPause: () => void = () => undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get role(): Role {
    if (this.#role === undefined) return "alone";
    return this.#role instanceof Follower ? "follows" : "holds";
  }

  /** Whether others follow this process. */
  get hasFollowers(): boolean {
    return this.#role instanceof Holder && this.#role.hasPeers;
  }

  /** Whether followers wait to be told of new verdicts. */
  get isWatched(): boolean {
    return this.#role instanceof Holder && this.#role.isWatched;
  }

  /** Begins to look for a holder, unless that was done before. */
  begin(): void {
    if (this.#isBegun) return;
    this.#isBegun = true;
    void this.#run();
  }

  /** Gives the append to the holder; false where there is none who answers, and it is to be committed directly. */
  append(append: OwnAppend): boolean {
    if (!(this.#role instanceof Follower) || !this.#role.isAnswering) return false;
    if (append.record.length > this.#options.recordBytes) return false;
    this.#role.append(append);
    return true;
  }

  /** Whether somebody here wants to know of new verdicts. */
  watch(isWatching: boolean): void {
    if (this.#isWatching === isWatching) return;
    this.#isWatching = isWatching;
    if (this.#role instanceof Follower) this.#role.watch(isWatching);
  }

  /** Tells the followers that there are new verdicts. */
  tell(): void {
    if (this.#role instanceof Holder) this.#role.tell();
  }

  end(): void {
    this.#isEnded = true;
    this.#role?.end();
    this.#endPause();
  }

  async #run(): Promise<void> {
    for (let failures = 0; !this.#isEnded;) {
      // Before it is tried: what comes to the path later is not what did not answer.
      const tried = socketFileAt(this.#options.path);
      const absence = absenceAt(this.#options.path) ?? (await this.#follow());
      if (absence === undefined) {
        failures = 0;
        continue;
      }
      const canListen = absence === "nobody" || absence === "silent";
      const hasHeld = canListen && !this.#isEnded && (await this.#hold(tried));
      failures = hasHeld ? 0 : failures + 1;
      if (!hasHeld) await this.#pause(Math.min(backoff.cap, backoff.base * 2 ** (failures - 1)));
    }
  }

  /** Follows for as long as the holder answers; says why it cannot, or undefined when it could until now. */
  async #follow(): Promise<Absence | undefined> {
    const { path, identity, committer, onNews } = this.#options;
    const onUnanswered = (appends: readonly OwnAppend[]): void => {
      for (const append of appends) committer.add(append);
    };
    const found = await Follower.connect({ path, identity, onNews, onUnanswered });
    if (!(found instanceof Follower)) return found;
    if (this.#isWatching) found.watch(true);
    this.#become(found);
    const absence = await found.ended;
    this.#become(undefined);
    return absence === "nobody" ? undefined : absence;
  }

  /** Holds the path for as long as nobody takes it; false when it could not be had. */
  async #hold(dead: SocketFile): Promise<boolean> {
    await this.#pause(candidacy.base + Math.random() * candidacy.jitter);
    if (this.#isEnded) return true;
    try {
      const { onChange: onWatching } = this.#options;
      const holder = await Holder.begin({ ...this.#options, onWatching }, dead);
      if (holder === undefined) return true;
      this.#become(holder);
      await holder.ended;
      this.#become(undefined);
      return true;
    } catch {
      // Not permitted here, or no room: it goes on without.
      return false;
    }
  }

  #become(role: Follower | Holder | undefined): void {
    this.#role = role;
    if (this.#isEnded) role?.end();
    this.#options.onChange();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#endPause = resolve;
      setTimeout(resolve, ms).unref();
    });
  }
}
