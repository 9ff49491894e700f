import { limitReached, type Answer } from "./answer.ts";
import type { Desk } from "./desk.ts";
import { guards } from "./guards.ts";
import { Lab } from "./lab.ts";

const most = { credits: 2, goodwill: 30 } as const;

/** What a rule speaks of. */
export const detourRules = ["credits", "sum of goodwill"] as const;
export type DetourRule = (typeof detourRules)[number];

/** What came of an agent that was told no, and tried another way to the same end. */
export interface DetourResult {
  readonly rule: DetourRule;
  readonly credit: Answer;
  readonly discount: Answer;
  /** All that the customer was given in the month, in money. */
  readonly goodwill: number;
  readonly isCaught: boolean;
}

interface Given {
  readonly amount: number;
}

/** After two credits an agent is refused a third, and issues a discount code of the same worth in its place. */
export async function tryDetour(rule: DetourRule, at: number, zone: string): Promise<DetourResult> {
  const lab = await Lab.open(at, zone);
  const desk = lab.desk("agent", 30);
  const serializable = guards.at(-2);
  for (const agent of ["first", "second"]) await serializable?.give(lab.desk(agent, 0));
  const credit = (await serializable?.give(desk)) ?? { outcome: "granted" };
  const discount = await giveDiscount(desk, rule);
  const goodwill = await goodwillOf(desk);
  await lab.space.close();
  return { rule, credit, discount, goodwill, isCaught: discount.outcome !== "granted" };
}

function giveDiscount(desk: Desk, rule: DetourRule): Promise<Answer> {
  return desk.run({}, async (tx, { month, all, credits, discounts }) => {
    const given = await tx.scan<Given>({ prefix: rule === "credits" ? credits : all });
    await desk.think();
    const sum = given.reduce((total, { value }) => total + value.amount, 0);
    if (rule === "credits" && given.length > most.credits) return limitReached(given.length, most.credits, month);
    if (rule === "sum of goodwill" && sum + 15 > most.goodwill) return overSum(sum, month);
    tx.put(discounts + desk.agent, { amount: 15 });
    return { outcome: "granted" };
  });
}

function overSum(sum: number, month: string): Answer {
  return {
    outcome: "limit_reached",
    reason: `Goodwill of ${sum} was given in ${month}, of whatever kind, and ${most.goodwill} are allowed.`,
    nextStep: "Give nothing more, by no other way either; pass the case to a person if the customer insists.",
  };
}

async function goodwillOf(desk: Desk): Promise<number> {
  let sum = 0;
  await desk.run({}, async (tx, { all }) => {
    sum = (await tx.scan<Given>({ prefix: all })).reduce((total, { value }) => total + value.amount, 0);
    return { outcome: "granted" };
  });
  return sum;
}
