import { Random } from "@seriatim/log";

/** How many goodwill credits a customer may be given in a month. */
export const mostCredits = 2;

export const customerCount = 40;
const showCount = 5;
/** So many of a hundred who want a seat can have one. */
const seatsPerHundred = 60;
/** In a round of credits so many of four agents turn to the round's hot customer. */
const hotOfFour = 3;

/** What an agent is to do in one run. */
export type Wish =
  | { readonly kind: "credit"; readonly run: string; readonly customer: string }
  | { readonly kind: "seat"; readonly run: string; readonly show: string };

/** Who does what: a function of the seed and the sizes, and of nothing else. */
export interface Plan {
  /** The month of the credits and of the shows, as in `2026-03`. */
  readonly month: string;
  readonly customers: readonly string[];
  readonly shows: readonly string[];
  /** The seats of each show. */
  readonly seats: readonly string[];
  /** For each agent its wishes, in order. */
  readonly wishes: readonly (readonly Wish[])[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly agents: number;
  /** Of all agents together. */
  readonly runs: number;
}

/**
 * The agents go in rounds, a run each. In even rounds all give credits, most of them to one hot customer, so that far more
 * than two would stand if nobody checked; in odd rounds they want seats, half of them in each of two shows. Agents that
 * have to try again fall behind their round, as they would in life.
 */
export function makePlan({ seed, agents, runs }: PlanOptions): Plan {
  const random = new Random(seed);
  const month = `2026-${digits(1 + random.below(12), 2)}`;
  const customers = named("customer", customerCount);
  const shows = named("show", showCount);
  const hot = shuffled(customers, random);
  const wishes = Array.from({ length: agents }, (): Wish[] => []);
  for (let first = 0, round = 0; first < runs; first += agents, round += 1) {
    const places = shuffled(Array.from({ length: Math.min(agents, runs - first) }).keys(), random);
    for (const [agent, place] of places.entries()) {
      const run = `run-${digits(first + agent + 1, 4)}`;
      const turn = Math.floor(round / 2);
      const isHot = place * 4 < places.length * hotOfFour;
      const wish: Wish =
        round % 2 === 0
          ? { kind: "credit", run, customer: isHot ? at(hot, turn) : at(customers, random.below(customerCount)) }
          : { kind: "seat", run, show: at(shows, 2 * turn + (place % 2)) };
      wishes[agent]?.push(wish);
    }
  }
  return { month, customers, shows, seats: named("seat", seatsPerShow(wishes)), wishes };
}

function seatsPerShow(wishes: readonly (readonly Wish[])[]): number {
  const wanted = wishes.flat().filter(({ kind }) => kind === "seat").length;
  return Math.max(1, Math.floor((wanted * seatsPerHundred) / 100 / showCount));
}

/** The month that comes `months` after `month`. */
export function laterMonth(month: string, months: number): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  const count = year * 12 + number - 1 + months;
  return `${digits(Math.floor(count / 12), 4)}-${digits((count % 12) + 1, 2)}`;
}

function named(what: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${what}-${digits(index + 1, 2)}`);
}

export function digits(number: number, least: number): string {
  return String(number).padStart(least, "0");
}

/** The item at `index`, counted around. */
function at<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T;
}

function shuffled<T>(items: Iterable<T>, random: Random): T[] {
  const drawn: T[] = [];
  const left = [...items];
  while (left.length > 0) drawn.push(...left.splice(random.below(left.length), 1));
  return drawn;
}
