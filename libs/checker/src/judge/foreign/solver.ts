import { antiDependencies } from "../../graph/graph.ts";
import { Closure } from "./closure.ts";
import type { Choice, Edge } from "./problem.ts";

/** What a search is bounded by: more points than this need too large a table, more work too much time. */
const mostPoints = 24_000;
const mostWork = 3_000_000_000;
const mostDecisions = 50_000;
/** Choices looked at, and those kept to be taken back to. */
const mostLooks = 1_000_000_000;
const mostKept = 30_000_000;

/** The points in time that transactions have: one each for serializability; a start and a commit for snapshot isolation. */
export interface Points {
  readonly count: number;
  start(node: number): number;
  commit(node: number): number;
}

export function onePoint(nodes: number): Points {
  return { count: nodes, start: (node) => node, commit: (node) => node };
}

export function startAndCommit(nodes: number): Points {
  return { count: nodes * 2, start: (node) => node * 2, commit: (node) => node * 2 + 1 };
}

export type Solution =
  | { readonly answer: "holds" }
  /** Neither order of `stuck` is possible, nor any other than `forced` of the others; none is given after a search. */
  | { readonly answer: "violated"; readonly forced: readonly Edge[]; readonly stuck: Choice | null }
  | { readonly answer: "undecided"; readonly reason: string };

/**
 * Looks for one order of the points that `edges` allow and that takes one side of each choice. First what follows from
 * the edges is drawn: a side that contradicts them leaves the other. Then it tries, and takes back.
 */
export function solve(edges: readonly Edge[], choices: readonly Choice[], points: Points): Solution {
  if (points.count > mostPoints) {
    const reason = `the order of ${choices.length} pairs of writes is not stated, among more transactions than are searched`;
    return { answer: "undecided", reason };
  }
  const search = new Search(choices, points);
  return search.begin(edges) ? search.run() : { answer: "violated", forced: [], stuck: null };
}

interface Decision {
  readonly mark: number;
  /** The choices that were open before it. */
  readonly open: Choice[];
  readonly choice: Choice;
  readonly isSecond: boolean;
}

class Search {
  readonly #points: Points;
  readonly #closure: Closure;
  #open: Choice[];
  readonly #forced: Edge[] = [];
  readonly #decisions: Decision[] = [];
  #decided = 0;
  #looks = 0;
  #kept = 0;

  constructor(choices: readonly Choice[], points: Points) {
    this.#points = points;
    this.#closure = new Closure(points.count);
    this.#open = Array.from(choices);
  }

  begin(edges: readonly Edge[]): boolean {
    for (let node = 0; this.#points.commit(node) < this.#points.count; node += 1)
      if (this.#points.start(node) !== this.#points.commit(node))
        this.#closure.add(this.#points.start(node), this.#points.commit(node));
    return edges.every((edge) => this.#add(edge));
  }

  run(): Solution {
    let stuck = this.#propagate();
    if (stuck !== undefined) return { answer: "violated", forced: this.#forced, stuck };
    if (this.#fitsOneOrder()) return { answer: "holds" };
    while (this.#open.length > 0 || stuck !== undefined) {
      if (this.#isTooMuch) return { answer: "undecided", reason: "the search for an order of the writes was given up" };
      if (stuck === undefined) this.#decide();
      else if (!this.#reconsider()) return { answer: "violated", forced: this.#forced, stuck: null };
      stuck = this.#propagate();
    }
    return { answer: "holds" };
  }

  get #isTooMuch(): boolean {
    if (this.#decided > mostDecisions || this.#closure.work > mostWork) return true;
    return this.#looks > mostLooks || this.#kept > mostKept;
  }

  /** Whether what is open fits the first order of the points that comes to mind. */
  #fitsOneOrder(): boolean {
    const places = this.#closure.places();
    const fits = (side: readonly Edge[]): boolean =>
      side.every((edge) => {
        const [before, after] = this.#ends(edge);
        return (places[before] ?? 0) < (places[after] ?? 0);
      });
    return this.#open.every(({ first, second }) => fits(first) || fits(second));
  }

  #decide(): void {
    const [choice, ...open] = this.#open;
    if (choice === undefined) return;
    this.#take({ mark: this.#closure.mark(), open: this.#open, choice, isSecond: false }, open);
  }

  /** Takes the other side of the last decision that has one left. */
  #reconsider(): boolean {
    for (let last = this.#decisions.pop(); last !== undefined; last = this.#decisions.pop()) {
      this.#closure.undo(last.mark);
      this.#kept -= last.open.length;
      if (last.isSecond) continue;
      const open = last.open.filter((choice) => choice !== last.choice);
      this.#take({ ...last, mark: this.#closure.mark(), isSecond: true }, open);
      return true;
    }
    return false;
  }

  #take(decision: Decision, open: Choice[]): void {
    this.#decided += 1;
    this.#decisions.push(decision);
    this.#kept += decision.open.length;
    this.#open = open;
    const side = decision.isSecond ? decision.choice.second : decision.choice.first;
    // A side whose own edges contradict each other stays open, and is found stuck by what follows.
    if (!side.every((edge) => this.#add(edge))) this.#open = [decision.choice, ...open];
  }

  /** Draws all that follows; returns a choice of which neither side is possible. */
  #propagate(): Choice | undefined {
    for (let changed = true; changed;) {
      changed = false;
      const open: Choice[] = [];
      this.#looks += this.#open.length;
      for (const choice of this.#open) {
        const first = this.#isPossible(choice.first);
        const second = this.#isPossible(choice.second);
        if (first && second) {
          open.push(choice);
          continue;
        }
        const side = first ? choice.first : choice.second;
        if (!first && !second) return choice;
        if (!side.every((edge) => this.#add(edge))) return choice;
        if (this.#decisions.length === 0) this.#forced.push(...side);
        changed = true;
      }
      this.#open = open;
    }
    return undefined;
  }

  #isPossible(side: readonly Edge[]): boolean {
    return side.every((edge) => {
      const [before, after] = this.#ends(edge);
      return before !== after && !this.#closure.precedes(after, before);
    });
  }

  #add(edge: Edge): boolean {
    const [before, after] = this.#ends(edge);
    return this.#closure.add(before, after);
  }

  #ends({ from, to, kind }: Edge): readonly [number, number] {
    const points = this.#points;
    if ((kind & antiDependencies) === 0) return [points.commit(from), points.start(to)];
    return [points.start(from), points.commit(to)];
  }
}
