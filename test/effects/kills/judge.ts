import { idempotencyKey } from "@seriatim/effects";
import type { Row } from "@seriatim/effects-worker";
import type { Bytes } from "@seriatim/protocol";
import type { Deferred, Plan } from "./plan.ts";
import type { Receiver, Request } from "./receiver.ts";

export interface Judged {
  readonly violations: readonly string[];
  /** Requests that repeated a key that was there before. */
  readonly duplicates: number;
  readonly unknown: number;
}

/** What must hold of a run, whatever happened to its workers. */
export function judge(plan: Plan, rows: readonly Row[], receiver: Receiver, space: Bytes): Judged {
  const violations: string[] = [];
  const deferred = plan.intents.flat();
  const keys = new Map<string, string>();
  const requestsOf = (label: string): Request[] =>
    receiver.requests.filter(({ body }) => body === JSON.stringify({ label }));
  let unknown = 0;
  for (const { label, handler } of deferred) {
    const row = rows.find(({ arguments: args }) => args?.toString() === JSON.stringify({ label }));
    if (row?.definition === undefined || row.definition === null) {
      violations.push(`${label} is not among the effects`);
      continue;
    }
    const key = `"${idempotencyKey({ ...row, space, id: row.definition.intent })}"`;
    keys.set(key, label);
    const requests = requestsOf(label);
    const { state } = row.progress;
    if (state === "unknown") unknown += 1;
    for (const request of requests)
      if (request.key !== key) violations.push(`${label} was sent with the key ${request.key}, not ${key}`);
    if (handler === "many") {
      const acts = receiver.acts.filter((act) => act.key === key).length;
      if (state !== "done" || acts !== 1) violations.push(`${label} is ${state}, and was done ${acts} times`);
    } else {
      if (state !== "done" && state !== "unknown") violations.push(`${label}, not to be repeated, is ${state}`);
      if (requests.length > 1) violations.push(`${label}, not to be repeated, was sent ${requests.length} times`);
      if (state === "done" && requests.length !== 1) violations.push(`${label} is done, and was never sent`);
    }
  }
  const ours = receiver.requests.filter(({ body }) => body.includes(`"${plan.seed}.`));
  for (const { key, body } of ours) if (!keys.has(key)) violations.push(`${body} was sent, under a key of no effect`);
  return {
    violations: [...violations, ...disorder(deferred, rows, receiver.acts)],
    duplicates: ours.length - new Set(ours.map(({ key }) => key)).size,
    unknown,
  };
}

/** Where effects of one lane were done in another order than that of the log. */
function disorder(deferred: readonly Deferred[], rows: readonly Row[], acts: readonly Request[]): string[] {
  const labels = acts.map(({ body }) => (JSON.parse(body) as { label: string }).label);
  const inLog = rows.map((row) => (JSON.parse(row.arguments?.toString() ?? "{}") as { label?: string }).label);
  return [...new Set(deferred.map(({ lane }) => lane))].flatMap((lane) => {
    const ofLane = new Set(
      deferred.filter((each) => each.lane === lane && each.handler === "many").map((e) => e.label),
    );
    const wanted = inLog.filter((label) => label !== undefined && ofLane.has(label)).join(" ");
    const found = labels.filter((label) => ofLane.has(label)).join(" ");
    return wanted === found ? [] : [`lane ${lane} was done in the order ${found}, not ${wanted}`];
  });
}
