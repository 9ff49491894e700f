// What the demo itself does in the space, before the agents and after them.
import type { Coordinator } from "@seriatim/client";
import type { Isolation, Version } from "@seriatim/protocol";
import type { Claim, Evidence, Written } from "./judge.ts";
import { creditsPrefix, demosPrefix, seatsPrefix } from "./keys.ts";
import { laterMonth, type Plan } from "./plan.ts";
import { freeSeat } from "./rules.ts";

const agent = "demo";
/** Enough for demos that start in one space at the same time. */
const attempts = 40;

/**
 * Takes a month for this demo: the plan's, or, in a space where demos have run before, a later one, so that none meets
 * what another left behind.
 */
export async function claimMonth(coordinator: Coordinator, plan: Plan, isolation: Isolation): Promise<string> {
  const result = await coordinator.run({ agent, attempts }, async (tx) => {
    const [last] = await tx.scan({ prefix: demosPrefix }, { limit: 1, reverse: true });
    const month = last === undefined ? plan.month : laterMonth(last.key.slice(demosPrefix.length), 1);
    tx.put(demosPrefix + month, { isolation });
    return month;
  });
  if (result.outcome === "refused") throw new Error(`The demo could not take a month: ${result.refusal.message}`);
  return result.value;
}

/** Puts up the seats of all shows, all of them free. */
export async function putUpSeats(coordinator: Coordinator, { shows, seats }: Plan, month: string): Promise<void> {
  const runs = shows.map((show) =>
    coordinator.run({ agent }, (tx) => {
      for (const seat of seats) tx.put(seatsPrefix(show, month) + seat, freeSeat);
    }),
  );
  for (const result of await Promise.all(runs))
    if (result.outcome === "refused") throw new Error(`The seats could not be put up: ${result.refusal.message}`);
}

/** Reads everything back, once the view has come as far as the newest claim of each partition. */
export async function gather(
  coordinator: Coordinator,
  plan: Plan,
  month: string,
  claims: readonly Claim[],
): Promise<Evidence> {
  for (const { key, version } of newestOf(claims)) await coordinator.get(key, { minVersion: version });
  const prefixes = [
    ...plan.customers.map((customer) => creditsPrefix(customer, month)),
    ...plan.shows.map((show) => seatsPrefix(show, month)),
  ];
  const standing = new Map<string, unknown>();
  for (const prefix of prefixes)
    for (const { key, value } of await coordinator.scan({ prefix })) standing.set(key, value);
  const history = new Map<string, readonly Written[]>();
  for (const key of new Set(claims.map((claim) => claim.key))) history.set(key, await allWrites(coordinator, key));
  return { standing, history, claims };
}

function newestOf(claims: readonly Claim[]): Iterable<Claim> {
  const newest = new Map<number, Claim>();
  for (const claim of claims) {
    const { partition, offset } = claim.version;
    if (offset > (newest.get(partition)?.version.offset ?? -1)) newest.set(partition, claim);
  }
  return newest.values();
}

async function allWrites(coordinator: Coordinator, key: string): Promise<Written[]> {
  const writes: Written[] = [];
  let before: Version | undefined;
  for (;;) {
    const page = await coordinator.history(key, { before });
    writes.push(...page);
    before = page.at(-1)?.version;
    if (before === undefined) return writes;
  }
}
