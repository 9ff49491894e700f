import type { Transaction } from "@seriatim/client";
import { limitReached, type Answer } from "./answer.ts";
import type { Desk, MonthKeys } from "./desk.ts";

/** A way to keep to the limit, or to believe that one does. */
export interface Guard {
  readonly name: string;
  readonly about: string;
  readonly limit: number;
  /** Under which name the credit stands that was given before. */
  readonly first: string;
  give(desk: Desk): Promise<Answer>;
}

const limit = 2;
const granted: Answer = { outcome: "granted" };
/** How often one who waits for a lock looks again, in ms. */
const lookInterval = 10;

const none: Guard = {
  name: "none",
  about: "counts, thinks, writes",
  limit,
  first: "before",
  give: (desk) => desk.run({ isolation: "none" }, (tx, keys) => countAndGive(desk, tx, keys)),
};

const ownRow: Guard = {
  name: "own row",
  about: "a version check on the row that it writes itself, which nobody else writes",
  limit,
  first: "before",
  give: (desk) =>
    desk.run({ isolation: "snapshot" }, async (tx, keys) => {
      await tx.get(keys.credits + desk.agent);
      return countAndGive(desk, tx, keys);
    }),
};

const uniqueKey: Guard = {
  name: "unique key",
  about: "one key for the credit of the month: it holds, for a limit of one",
  limit: 1,
  first: "the-one",
  give: (desk) =>
    desk.run({ isolation: "snapshot" }, async (tx, { month, credits }) => {
      const key = `${credits}the-one`;
      const found = await tx.get(key);
      await desk.think();
      if (found !== undefined) return limitReached(1, 1, month);
      tx.put(key, { amount: 15, agent: desk.agent });
      return granted;
    }),
};

const quotaRow: Guard = {
  name: "quota row",
  about: "a row that all write, with how many were given",
  limit,
  first: "before",
  give: (desk) =>
    desk.run({ isolation: "snapshot" }, async (tx, { month, quota, credits }) => {
      const given = (await tx.get<number>(quota)) ?? 0;
      await desk.think();
      if (given >= limit) return limitReached(given, limit, month);
      tx.put(quota, given + 1);
      tx.put(credits + desk.agent, { amount: 15, agent: desk.agent });
      return granted;
    }),
};

const rangeRead: Guard = {
  name: "range read, one attempt",
  about: "serializable: what was counted is checked; who loses is told, and gives up",
  limit,
  first: "before",
  give: (desk) => desk.run({ attempts: 1 }, (tx, keys) => countAndGive(desk, tx, keys)),
};

const rangeReadAgain: Guard = {
  name: "range read, ten attempts",
  about: "serializable: who loses counts again",
  limit,
  first: "before",
  give: (desk) => desk.run({ attempts: 10 }, (tx, keys) => countAndGive(desk, tx, keys)),
};

const lock: Guard = {
  name: "lock",
  about: "a lock that is held while it thinks: the others wait, and would for good if it died",
  limit,
  first: "before",
  give: async (desk) => {
    while (!(await hasTaken(desk))) await desk.clock.sleep(lookInterval);
    return desk.run({}, async (tx, keys) => {
      const answer = await countAndGive(desk, tx, keys);
      tx.delete(keys.lock);
      return answer;
    });
  },
};

export const guards: readonly Guard[] = [none, ownRow, uniqueKey, quotaRow, rangeRead, rangeReadAgain, lock];

async function countAndGive(desk: Desk, tx: Transaction, { month, credits }: MonthKeys): Promise<Answer> {
  const given = await tx.count({ prefix: credits });
  await desk.think();
  if (given >= limit) return limitReached(given, limit, month);
  tx.put(credits + desk.agent, { amount: 15, agent: desk.agent });
  return granted;
}

async function hasTaken(desk: Desk): Promise<boolean> {
  const taken = await desk.run({}, async (tx, { month, lock: key }) => {
    if ((await tx.get(key)) !== undefined) return limitReached(0, 0, month);
    tx.put(key, desk.agent);
    return granted;
  });
  return taken.outcome === "granted";
}
