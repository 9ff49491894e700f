import type { Verdict } from "@seriatim/protocol";
import { hold } from "./check-reports.ts";
import type { ReceivedCall } from "./receiver.ts";
import { isCommitted } from "./truth.ts";

/**
 * What agents called before they were decided stands in the log: no call without a hold that was decided before, none
 * twice, and what an intent confirms was called, and heard of, by the attempt that committed.
 */
export function checkCalls(calls: readonly ReceivedCall[], verdicts: readonly Verdict[]): void {
  const at = new Map(verdicts.map((verdict) => [`${verdict.partition}@${verdict.offset}`, verdict]));
  const called = new Map<string, ReceivedCall>();
  for (const call of calls) {
    const place = `${call.partition}@${call.offset}`;
    const verdict = at.get(place);
    const isHeld = verdict?.outcome.kind === "held" && verdict.id === call.intent;
    hold(isHeld, () => `${call.intent} called what the log does not hold at ${place}`);
    hold(!called.has(place), () => `what is held at ${place} was called twice`);
    called.set(place, call);
  }
  for (const { partition, id, offset, outcome } of verdicts.filter(isCommitted))
    for (const confirmed of outcome.holds) {
      const call = called.get(`${partition}@${confirmed}`);
      hold(call?.isHeard === true, () => `${offset} confirms ${confirmed}, which was not called, or in vain`);
      hold(call.intent === id, () => `${offset} confirms ${confirmed}, which another holds`);
    }
}
