import type { Effect, Hold, IntentKind, Limits, Outcome, RefusalCode, Submit, Verdict } from "@seriatim/protocol";
import type { IntentItem } from "../space/items.ts";
import { isIntent, legible } from "./draft.ts";
import type { ObjectionName } from "./objections.ts";

export interface Fault {
  readonly name: ObjectionName;
  readonly message: string;
}

/** What a verdict says that its own record does not bear out. */
export function* outcomeFaults(
  { record }: IntentItem,
  verdict: Verdict,
  limits: Pick<Limits, "nameBytes">,
): Generator<Fault> {
  const { offset, outcome } = verdict;
  const named = isIntent(record) ? record : undefined;
  if (verdict.id !== legible(named?.id, limits) || verdict.agent !== legible(named?.agent, limits))
    yield { name: "audit:outcome", message: `the verdict of ${offset} names another intent or agent than its record` };
  if (!isPossible(record, outcome))
    yield { name: "audit:outcome", message: `the verdict of ${offset} is ${outcome.kind}, which its record cannot be` };
  else if (record.kind === "submit" && outcome.kind === "committed") yield* committedFaults(record, outcome, offset);
  else if (record.kind === "hold" && outcome.kind === "held") yield* heldFaults(record, outcome, verdict);
  const later = outcome.kind === "refused" ? outcome.conflicts.find(({ version }) => version >= offset) : undefined;
  if (later !== undefined)
    yield { name: "audit:version", message: `the verdict of ${offset} names a conflict with ${later.version}` };
}

function isPossible(record: IntentItem["record"], outcome: Outcome): boolean {
  const { kind } = record;
  switch (outcome.kind) {
    case "genesis":
      return kind === "genesis";
    case "cancelled":
      return kind === "cancel";
    case "repeated":
      return isIntent(record);
    case "committed":
      return kind === "submit";
    case "held":
      return kind === "hold";
    case "expired":
      return kind === "expire";
    case "refused":
      if ((outcome.code === "invalid") !== (outcome.reason !== null)) return false;
      return outcome.code === "invalid" || (isIntent(record) && refusable[record.kind].includes(outcome.code));
  }
}

/** How each kind of intents record may be refused, besides `invalid`. */
const refusable: Readonly<Record<IntentKind, readonly RefusalCode[]>> = {
  submit: ["too_old", "id_reused", "cancelled", "not_in_time", "conflict", "too_large"],
  cancel: ["too_old"],
  hold: ["too_old", "id_reused", "closed"],
  expire: ["too_old", "no_hold", "not_expired"],
};

function* heldFaults(
  hold: Hold,
  outcome: Extract<Outcome, { kind: "held" }>,
  { offset, time }: Verdict,
): Generator<Fault> {
  const isRepeated = (["index", "name", "undo", "timeout"] as const).every((field) => hold[field] === outcome[field]);
  if (!isRepeated || !isSame(hold.arguments, outcome.arguments) || outcome.deadline !== time + hold.lease)
    yield { name: "audit:effect", message: `the verdict of ${offset} holds something else than its record asks for` };
}

function* committedFaults(
  { writes, effects, holds, result }: Submit,
  outcome: Extract<Outcome, { kind: "committed" }>,
  offset: number,
): Generator<Fault> {
  const asked = writes.map(({ key, value }) => [key, value] as const);
  const isRepeated = asked.every(([key, value], index) => {
    const given = outcome.writes[index];
    return given !== undefined && given.key === key && isSame(given.value, value);
  });
  if (!isRepeated || asked.length !== outcome.writes.length || !isSame(result, outcome.result)) {
    const message = `the verdict of ${offset} commits other writes, or another result, than its intent asks for`;
    yield { name: "audit:writes", message };
  }
  if (
    effects.length !== outcome.effects.length ||
    !effects.every((one, index) => isSameEffect(one, outcome.effects[index]))
  )
    yield { name: "audit:effect", message: `the verdict of ${offset} has other effects than its intent asks for` };
  if (holds.join() !== outcome.holds.join())
    yield { name: "audit:effect", message: `the verdict of ${offset} confirms other holds than its intent does` };
}

function isSameEffect(asked: Effect, given: Effect | undefined): boolean {
  if (given === undefined) return false;
  return asked.name === given.name && asked.lane === given.lane && isSame(asked.arguments, given.arguments);
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a === null || b === null ? a === b : Buffer.compare(a, b) === 0;
}
