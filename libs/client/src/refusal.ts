import { fromBytes, inRange, type Conflict, type Key, type Offset, type Submit } from "@seriatim/protocol";
import { newest, type View } from "@seriatim/view";
import type { Answer } from "./answer.ts";
import { conflictMessage } from "./conflict-texts.ts";
import { adviceOn, explain } from "./refusal-texts.ts";
import type { ConflictDetail, Refusal } from "./result.ts";
import type { Space } from "./space.ts";
import { decodeValue } from "./values.ts";

type Refused = Extract<Answer, { readonly kind: "refused" }>;

/**
 * What a refused client needs to go on. The verdict names keys and versions; who wrote them, and what they hold now, comes
 * from the view.
 *
 * @param intent what was sent; undefined when it was not by this process, and nobody knows any more what it had read.
 */
export function refusalOf(space: Space, refused: Refused, intent: Submit | undefined): Refusal {
  const { code, decision, outcome } = refused;
  const { partition, offset } = decision;
  const id = intent?.id ?? decision.id ?? "";
  const reason = outcome?.reason ?? null;
  const described = (outcome?.conflicts ?? []).map((conflict) => describe(space.view, partition, conflict, intent));
  const conflicts = described.map(({ detail }) => detail);
  const happened = explain({
    code,
    reason,
    id,
    decision,
    intent,
    limits: space.genesis.limits,
    conflicts: described.map(({ text }) => text),
  });
  const { advice, sentence } = adviceOn(code, conflicts);
  return {
    code,
    message: `${happened} ${sentence}`,
    conflicts,
    intent: id,
    version: { partition, offset },
    ...(reason === null ? {} : { reason }),
    advice,
  };
}

/** What an intent rested on, as far as it is known. */
export type Grounds = Pick<Submit, "points" | "ranges" | "snapshot">;

/** One conflict as data, and as a clause without a full stop. */
export interface Described {
  readonly detail: ConflictDetail;
  readonly text: string;
}

/** @param grounds of whom it concerns; undefined when nobody knows any more what it had read. */
export function describe(view: View, partition: number, conflict: Conflict, grounds: Grounds | undefined): Described {
  const detail = detailOf(view, partition, conflict, grounds);
  return { detail, text: conflictMessage(detail, wasThere(view, conflict.key, grounds)) };
}

function detailOf(view: View, partition: number, conflict: Conflict, intent: Grounds | undefined): ConflictDetail {
  const { kind, key, version: offset } = conflict;
  const write = view.decision(partition, offset);
  const now = view.get(key, newest);
  return {
    kind,
    key: fromBytes(key),
    version: { partition, offset },
    agent: write?.agent ?? null,
    intent: write?.id ?? null,
    time: new Date(write?.time ?? 0),
    deleted: view.version(key, offset) === null,
    value: now === undefined ? undefined : readable(now.value),
    yours: yoursOf(partition, conflict, intent),
  };
}

/** A value that cannot be decoded must not hide the refusal that it stands in. */
function readable(bytes: Uint8Array): unknown {
  try {
    return decodeValue(bytes);
  } catch {
    return bytes;
  }
}

function yoursOf(partition: number, { kind, key }: Conflict, intent: Grounds | undefined): ConflictDetail["yours"] {
  if (kind === "range") return "range";
  // At level snapshot a verdict names what was written, and does not say whether it was read.
  if (intent === undefined) return "unknown";
  const point = intent.points.find((read) => read.key === key);
  if (point !== undefined) return point.version === null ? "absent" : { partition, offset: point.version };
  return intent.ranges.some((range) => inRange(key, range)) ? "range" : "unread";
}

/** Whether the key was there at the intent's snapshot; undefined when that is not known. */
function wasThere(view: View, key: Key, intent: { readonly snapshot: Offset } | undefined): boolean | undefined {
  return intent === undefined ? undefined : view.version(key, intent.snapshot) !== null;
}
