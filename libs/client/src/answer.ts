import { assert, type Digest, type RefusalCode } from "@seriatim/protocol";
import type { Decision, DecidedOutcome } from "@seriatim/view";

export type RefusedOutcome = Extract<DecidedOutcome, { readonly kind: "refused" }>;

/** Where and when what stands under an id committed. */
export type Commit = Pick<Decision, "partition" | "offset" | "id" | "time">;

/** What the decision that settled an id means for the one who sent a record under it. */
export type Answer =
  | { readonly kind: "committed"; readonly decision: Commit; readonly result: Uint8Array | null }
  /** `cancelled` too when it was this client's own cancel, or an expire; `id_reused` when another record claimed the id. */
  | {
      readonly kind: "refused";
      readonly code: RefusalCode;
      readonly decision: Decision;
      readonly outcome: RefusedOutcome | undefined;
    };

/** @param digest of the record sent. */
export function answerOf(decision: Decision, digest: Digest): Answer {
  const { outcome } = decision;
  const isOther = decision.digest !== digest;
  switch (outcome.kind) {
    case "committed":
      if (isOther) return { kind: "refused", code: "id_reused", decision, outcome: undefined };
      return { kind: "committed", decision, result: outcome.result };
    case "cancelled":
    case "expired":
      return { kind: "refused", code: "cancelled", decision, outcome: undefined };
    case "refused": {
      // A cancel that was too old claims no id, but says of the older record with the same snapshot that it never will.
      const isClaim = outcome.code !== "too_old" && outcome.code !== "invalid";
      if (isOther && isClaim) return { kind: "refused", code: "id_reused", decision, outcome: undefined };
      return { kind: "refused", code: outcome.code, decision, outcome };
    }
    case "genesis":
    case "held":
    case "repeated":
      assert(false, `the decision at ${decision.partition}@${decision.offset} settles no id`);
  }
}
