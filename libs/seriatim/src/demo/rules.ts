import type { Transaction } from "@seriatim/client";
import { creditsPrefix, seatsPrefix } from "./keys.ts";
import { mostCredits, type Wish } from "./plan.ts";

/** What a seat holds; both null while it is free. */
export interface Seat {
  readonly agent: string | null;
  readonly run: string | null;
}

export const freeSeat: Seat = { agent: null, run: null };

/** What a run came to. A rule's refusal is an answer like the others, with a reason and a next step. */
export type Answer =
  | { readonly outcome: "granted"; readonly key: string; readonly value: unknown }
  | { readonly outcome: "limit_reached" | "sold_out"; readonly reason: string; readonly nextStep: string };

/** The agent's reasoning, between what it reads and what it writes. */
export type Think = () => Promise<void>;

export function carryOut(tx: Transaction, wish: Wish, month: string, think: Think): Promise<Answer> {
  switch (wish.kind) {
    case "credit":
      return giveCredit(tx, wish, month, think);
    case "seat":
      return claimSeat(tx, wish, month, think);
  }
}

/**
 * At most two goodwill credits a customer and month. Each credit is a key that no other run writes, so that two agents
 * never write the same key: only who checks the *range* that was counted notices the other one.
 */
async function giveCredit(
  tx: Transaction,
  { customer, run }: Extract<Wish, { readonly kind: "credit" }>,
  month: string,
  think: Think,
): Promise<Answer> {
  const prefix = creditsPrefix(customer, month);
  const given = await tx.count({ prefix });
  await think();
  if (given >= mostCredits)
    return {
      outcome: "limit_reached",
      reason: `${customer} already has ${given} goodwill credits in ${month}, and ${mostCredits} are allowed.`,
      nextStep: "Give no credit; apologise, and pass the case to a person if the customer insists.",
    };
  const value = { amount: 15, agent: tx.agent, run };
  tx.put(prefix + run, value);
  return { outcome: "granted", key: prefix + run, value };
}

/** A seat is sold once: the agent claims the first one that it finds free. */
async function claimSeat(
  tx: Transaction,
  { show, run }: Extract<Wish, { readonly kind: "seat" }>,
  month: string,
  think: Think,
): Promise<Answer> {
  const seats = await tx.scan<Seat>({ prefix: seatsPrefix(show, month) });
  await think();
  const free = seats.find(({ value }) => value.run === null);
  if (free === undefined)
    return {
      outcome: "sold_out",
      reason: `All ${seats.length} seats of ${show} in ${month} are taken.`,
      nextStep: "Offer another show, or put the customer on the waiting list.",
    };
  const value: Seat = { agent: tx.agent, run };
  tx.put(free.key, value);
  return { outcome: "granted", key: free.key, value };
}
