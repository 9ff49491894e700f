import type { Schedule } from "./waiting.ts";

/** How long a turn may last before the next one goes ahead, in multiples of what turns have taken, and ms besides. */
const patience = { times: 2, besides: 10 };

/** What one turn teaches of what a turn takes: a part of it, and of one that was left open for an hour not that much. */
const lesson = { part: 4, times: 5, besides: 100 };

/** A line that so many turns in a row found empty is forgotten: what was contended for is not any more. */
const quietTurns = 32;

/** How many lines are kept; the one used longest ago goes first. */
const mostLines = 1_000;

/** What a holder of a turn gives back, once. */
export type Leave = () => void;

/**
 * Orders the runs of one coordinator that contend for the same key or range: where two are known to collide, the second
 * begins when the first has ended, in place of thinking in vain. Nothing rests on it: who has waited long enough goes
 * ahead, and the verdict decides as ever.
 */
export class Turns {
  readonly #clock: () => number;
  readonly #schedule: Schedule;
  /** The one used last comes last. */
  readonly #lines = new Map<string, Line>();

  constructor(clock: () => number, schedule: Schedule) {
    this.#clock = clock;
    this.#schedule = schedule;
  }

  /** Whether runs have been refused over it lately. */
  isContended(name: string): boolean {
    return this.#lines.has(name);
  }

  /** Somebody was refused over it, after so many ms: from now on there is a line for it. */
  contend(name: string, ms: number): void {
    const line = this.#lines.get(name) ?? new Line(this.#clock, this.#schedule, ms);
    this.#lines.delete(name);
    this.#lines.set(name, line);
    if (this.#lines.size <= mostLines) return;
    for (const oldest of this.#lines.keys()) return void this.#lines.delete(oldest);
  }

  /** How long, in ms, it is reasonable to wait for one turn. */
  patience(name: string): number {
    return this.#lines.get(name)?.patience ?? 0;
  }

  /** Resolves when it is one's turn, or when that has taken too long, or the signal has fired. */
  async enter(name: string, signal: AbortSignal | undefined): Promise<Leave> {
    const line = this.#lines.get(name);
    if (line === undefined) return () => undefined;
    const leave = await line.enter(signal);
    if (line.quietTurns >= quietTurns && this.#lines.get(name) === line) this.#lines.delete(name);
    return leave;
  }
}

class Place {
  readonly begun: Promise<void>;
  begin!: () => void;
  /** When its turn began. */
  since: number | undefined;

  constructor() {
    this.begun = new Promise((resolve) => (this.begin = resolve));
  }
}

/** First come, first served. */
class Line {
  readonly #clock: () => number;
  readonly #schedule: Schedule;
  readonly #waiting = new Set<Place>();
  #holder: Place | undefined;
  /** What a turn takes, in ms, the latest counting most. */
  #typical: number;
  #cancelOverdue: () => void = () => undefined;
  /** How many turns in a row nobody had to wait for. */
  quietTurns = 0;

  constructor(clock: () => number, schedule: Schedule, typical: number) {
    this.#clock = clock;
    this.#schedule = schedule;
    this.#typical = typical;
  }

  get patience(): number {
    return this.#typical * patience.times + patience.besides;
  }

  async enter(signal: AbortSignal | undefined): Promise<Leave> {
    const place = new Place();
    if (this.#holder === undefined) {
      this.quietTurns += 1;
      this.#grant(place);
      return () => this.#leave(place);
    }
    this.quietTurns = 0;
    this.#waiting.add(place);
    this.#watch();
    if (signal?.aborted === true) place.begin();
    signal?.addEventListener("abort", place.begin, { once: true });
    await place.begun;
    signal?.removeEventListener("abort", place.begin);
    return () => this.#leave(place);
  }

  #grant(place: Place): void {
    this.#waiting.delete(place);
    this.#holder = place;
    place.since = this.#clock();
    place.begin();
    this.#watch();
  }

  #leave(place: Place): void {
    this.#waiting.delete(place);
    // Of one that was overdue too: what was usual so far was not enough.
    if (place.since !== undefined) this.#learn(this.#clock() - place.since);
    if (this.#holder === place) this.#next();
  }

  #learn(ms: number): void {
    const most = this.#typical * lesson.times + lesson.besides;
    this.#typical += (Math.min(ms, most) - this.#typical) / lesson.part;
  }

  /** Also when the holder is overdue: it goes on, and loses its place only. */
  #next(): void {
    this.#cancelOverdue();
    this.#holder = undefined;
    for (const place of this.#waiting) return this.#grant(place);
  }

  /** There is a timer only while somebody waits. */
  #watch(): void {
    this.#cancelOverdue();
    const since = this.#holder?.since;
    if (this.#waiting.size === 0 || since === undefined) return;
    const left = since + this.patience - this.#clock();
    this.#cancelOverdue = this.#schedule(() => this.#next(), Math.max(0, left));
  }
}
