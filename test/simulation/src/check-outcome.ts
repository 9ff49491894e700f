import { fromBytes, type Verdict } from "@seriatim/protocol";
import { hold, valueOf } from "./check-reports.ts";
import { mostSlots } from "./jobs.ts";
import { isCommitted } from "./truth.ts";

/**
 * What the jobs leave behind in one partition, record after record, is what they could have left one at a time. Knows
 * what the jobs mean, and nothing of the rules by which intents are judged.
 */
export function checkOutcome(verdicts: readonly Verdict[]): void {
  const values = new Map<string, unknown>();
  const done = new Set<string>();
  for (const { offset, outcome } of verdicts.filter(isCommitted)) {
    for (const { key, value } of outcome.writes) {
      const name = fromBytes(key);
      const now = value === null ? undefined : valueOf(value);
      if (name.endsWith("/count") || name.endsWith("/business"))
        hold(now === Number(values.get(name) ?? 0) + 1, () => `an update of ${name} was lost at ${offset}`);
      if (name.includes("/done/"))
        hold(!done.has(name), () => `${name} was claimed twice, the second time at ${offset}`);
      if (name.includes("/done/")) done.add(name);
      if (now === undefined) values.delete(name);
      else values.set(name, now);
    }
    checkState(values, offset);
  }
}

function checkState(values: ReadonlyMap<string, unknown>, offset: number): void {
  const names = [...values.keys()];
  const on = names.filter((name) => name.includes("/on/") && values.get(name) === true);
  hold(on.length <= 1, () => `${on.join(" and ")} are on at ${offset}`);
  const slots = names.filter((name) => name.includes("/slot/"));
  hold(slots.length <= mostSlots, () => `${slots.length} slots are taken at ${offset}`);
}
