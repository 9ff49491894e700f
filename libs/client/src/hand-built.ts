import { Failure, sha256, type Submit } from "@seriatim/protocol";
import { answerOf, type Answer } from "./answer.ts";
import type { IntentRequest } from "./coordinator.ts";
import type { Environment } from "./environment.ts";
import { Placement } from "./placement.ts";
import { refusalOf } from "./refusal.ts";
import type { SubmitResult } from "./result.ts";
import { checkName } from "./run-options.ts";
import type { Submitter } from "./submitter.ts";

/** Submits one intent that was built by hand. */
export async function submitByHand(
  environment: Environment,
  submitter: Submitter,
  request: IntentRequest,
  signal: AbortSignal | undefined,
): Promise<SubmitResult> {
  const { space, codec, counters } = environment;
  const intent = fillIn(request, environment);
  // A sequencer remembers ids for as long as the window; the view does for good (invariant 7).
  const known = space.view.decisionOf(intent.id, intent.partition);
  const answer =
    known === undefined ? await submitter.submit(intent, signal) : answerOf(known, sha256(codec.encodeIntent(intent)));
  const repeated = known !== undefined;
  if (answer.kind === "refused") {
    counters.refused(answer.code);
    return { outcome: "refused", refusal: refusalOf(space, answer, intent) };
  }
  if (repeated) counters.repeated += 1;
  else counters.commits += 1;
  return committed(intent.id, answer, repeated);
}

function committed(
  intent: string,
  { decision, result }: Extract<Answer, { readonly kind: "committed" }>,
  repeated: boolean,
): SubmitResult {
  const { partition, offset, time } = decision;
  return { outcome: "committed", version: { partition, offset }, intent, time: new Date(time), result, repeated };
}

function fillIn(request: IntentRequest, { space: { genesis, view }, newId }: Environment): Submit {
  const { agent, id = newId(), isolation = "serializable", points = [], ranges = [], writes = [] } = request;
  checkName(agent, "agent", genesis.limits.nameBytes);
  checkName(id, "id", genesis.limits.nameBytes);
  const partition = request.partition ?? partitionOfRequest(request, new Placement(genesis));
  if (partition === undefined)
    throw new Failure(
      "invalid_argument",
      "the intent names no key and no range, so that it belongs to none of the space's partitions; give its partition",
    );
  return {
    kind: "submit",
    space: genesis.space,
    partition,
    id,
    agent,
    snapshot: request.snapshot ?? view.position(partition).offset,
    isolation,
    points,
    ranges,
    writes,
    effects: request.effects ?? [],
    holds: request.holds ?? [],
    validFrom: request.validFrom ?? null,
    validUntil: request.validUntil ?? null,
    result: request.result ?? null,
  };
}

function partitionOfRequest(request: IntentRequest, placement: Placement): number | undefined {
  for (const { key } of request.points ?? []) return placement.touchKey(key);
  for (const range of request.ranges ?? []) return placement.touchRange(range);
  for (const { key } of request.writes ?? []) return placement.touchKey(key);
  return placement.partition;
}
