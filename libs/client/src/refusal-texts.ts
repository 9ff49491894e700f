import type { InvalidReason, Limits, RefusalCode, Submit } from "@seriatim/protocol";
import type { Decision } from "@seriatim/view";
import { text } from "./conflict-texts.ts";
import type { Advice, ConflictDetail } from "./result.ts";

export interface Explained {
  readonly code: RefusalCode;
  readonly reason: InvalidReason | null;
  readonly id: string;
  readonly decision: Decision;
  readonly intent: Submit | undefined;
  readonly limits: Limits;
  /** One text for each conflict. */
  readonly conflicts: readonly string[];
}

/** So many conflicts are written out; the rest are in the data. */
const shownConflicts = 3;

/** What happened, in whole sentences. */
export function explain(explained: Explained): string {
  const { code, reason, id, decision, intent, limits } = explained;
  const intentText = `intent ${JSON.stringify(id)}`;
  switch (code) {
    case "conflict":
      return conflictSentences(explained.conflicts);
    case "invalid":
      return `The ${intentText} breaks the rules of this space: ${reasonText(reason)}. Nothing was written.`;
    case "too_old":
      return (
        `The ${intentText} rests on a snapshot${intent === undefined ? "" : ` (offset ${intent.snapshot})`} that more than ` +
        `${limits.window} records have followed, so that it cannot be checked any more; this one wrote nothing.`
      );
    case "id_reused":
      return `The id ${JSON.stringify(id)} was used before, for another intent ${whoWhere(decision)}. This one wrote nothing.`;
    case "closed":
      return `The ${intentText} was decided before it could hold anything, ${whoWhere(decision)}. Nothing was done.`;
    case "no_hold":
      return `The ${intentText} holds nothing at the offset that was to be expired. Nothing was done.`;
    case "not_expired":
      return `What the ${intentText} holds is leased beyond log time ${iso(decision.time)}. Nothing was done.`;
    case "cancelled":
      if (decision.outcome.kind === "expired")
        return (
          `The ${intentText} took longer than it had leased what it holds for, and was closed ${whoWhere(decision)}. ` +
          "Nothing was written, and what it held is being undone."
        );
      return `The ${intentText} was cancelled before it was decided, ${whoWhere(decision)}. Nothing was written.`;
    case "not_in_time":
      return (
        `Log time at the decision was ${iso(decision.time)}, outside of the time for which the ${intentText} was ` +
        `declared valid${interval(intent)}. Nothing was written.`
      );
    case "too_large":
      return (
        `The verdict on ${intentText}, which repeats what it writes, would be longer than the ${limits.verdictBytes} bytes ` +
        "that this space allows (verdictBytes). Nothing was written."
      );
  }
}

/** What to do next. */
export function adviceOn(
  code: RefusalCode,
  conflicts: readonly ConflictDetail[],
): { readonly advice: Advice; readonly sentence: string } {
  switch (code) {
    case "conflict":
      return { advice: "read_again", sentence: readAgain(conflicts) };
    case "invalid":
      return { advice: "correct", sentence: "Correct it; sending the same again is of no use." };
    case "too_old":
      return { advice: "begin_again", sentence: "Begin again on a fresh snapshot, and take less time until the end." };
    case "id_reused":
      return {
        advice: "use_another_id",
        sentence: "Look up what the first one came to; for something else take another id.",
      };
    case "closed":
      return { advice: "use_another_id", sentence: "Look up what it came to; for something else take another id." };
    case "no_hold":
      return { advice: "correct", sentence: "Name the offset at which it was held." };
    case "not_expired":
      return { advice: "check_time", sentence: "Wait until its deadline has passed." };
    case "cancelled":
      return { advice: "use_another_id", sentence: "If it is still wanted, do it again under another id." };
    case "not_in_time":
      return { advice: "check_time", sentence: "Read the clock again and decide anew whether it still makes sense." };
    case "too_large":
      return { advice: "make_smaller", sentence: "Write less in one intent." };
  }
}

function conflictSentences(texts: readonly string[]): string {
  const [shown, left] = [texts.slice(0, shownConflicts), texts.length - shownConflicts];
  const rest = left > 0 ? ` ${left} more ${left === 1 ? "key" : "keys"} changed too.` : "";
  return `${shown.map((each) => `${each}.`).join(" ")}${rest}`;
}

function readAgain(conflicts: readonly ConflictDetail[]): string {
  const what = conflicts.length > 1 ? "them" : "it";
  const isUnread = conflicts.length > 0 && conflicts.every(({ yours }) => yours === "unread");
  if (isUnread) return `Read ${what} first and decide anew, or declare the write blind if it holds whatever was there.`;
  return `Read ${what} again and decide anew.`;
}

function whoWhere({ agent, partition, offset }: Decision): string {
  return `by agent ${JSON.stringify(agent)} at version ${text({ partition, offset })}`;
}

function interval(intent: Submit | undefined): string {
  if (intent === undefined) return "";
  const from = intent.validFrom === null ? "" : ` from ${iso(intent.validFrom)}`;
  const until = intent.validUntil === null ? "" : ` until ${iso(intent.validUntil)}`;
  return from + until;
}

function iso(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? `${time} ms since 1970` : date.toISOString();
}

function reasonText(reason: InvalidReason | null): string {
  switch (reason) {
    case "not_a_record":
      return "it is no record of Seriatim";
    case "schema_not_admitted":
      return "it was written with a schema that the genesis does not admit";
    case "undecodable":
      return "it cannot be decoded";
    case "genesis_repeated":
      return "a genesis stands only at the beginning of a partition";
    case "other_space":
      return "it belongs to another space";
    case "wrong_partition":
      return "it stands in a partition that its keys do not belong to";
    case "record_too_large":
      return "it is longer than a record may be (recordBytes)";
    case "bad_name":
      return "its id or agent is empty or too long (nameBytes)";
    case "bad_key":
      return 'one of its keys is not of the form "<partition key>/<rest>", or too long (keyBytes)';
    case "bad_range":
      return "one of its ranges is empty, or its bounds are too long";
    case "key_repeated":
      return "it reads or writes the same key twice";
    case "partition_keys":
      return "it touches more than one partition key";
    case "value_too_large":
      return "one of its values is too long (valueBytes)";
    case "result_too_large":
      return "its result is too long (resultBytes)";
    case "too_many_points":
      return "it reads more keys than allowed (points)";
    case "too_many_ranges":
      return "it reads more ranges than allowed (ranges)";
    case "too_many_writes":
      return "it writes more keys than allowed (writes)";
    case "too_many_effects":
      return "it has more effects than allowed (effects)";
    case "too_many_holds":
      return "it holds more than allowed (holds)";
    case "effect_too_large":
      return "the arguments of one of its effects are too long (effectBytes)";
    case "bad_effect":
      return "the name or lane of one of its effects is empty or too long (nameBytes)";
    case "bad_hold":
      return "what it says of a hold cannot be: its place, lease (leaseMs), time-out or index";
    case "snapshot_not_before_record":
      return "its snapshot is not before its own place in the log";
    case "point_above_snapshot":
      return "it claims to have read a version above its snapshot";
    case null:
      return "the verdict does not say which";
  }
}
