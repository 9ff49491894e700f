import { decodeJson, idempotencyKey } from "@seriatim/effects";
import { isNeeded, type EffectState, type Row } from "@seriatim/effects-worker";
import { hexOf, type Bytes } from "@seriatim/protocol";
import { effectName } from "./name.ts";

/** What is shown of an effect's state: of a hold that is over, what its agent said of the call. */
export type ShownState = EffectState | "held" | "not needed";

export function stateOf({ definition, progress }: Row): ShownState {
  if (definition?.kind === "hold") return definition.isOpen ? "held" : (progress.own?.outcome ?? "unknown");
  if (!isNeeded({ definition, progress })) return "not needed";
  return progress.state;
}

/** As JSON, for `list` and `show`; `list` leaves out what can be long. */
export function effectJson(row: Row, space: Bytes): object {
  const { definition, progress } = row;
  if (definition === null) return {};
  const { name, intent, agent, time, kind } = definition;
  return {
    effect: effectName(row),
    state: stateOf(row),
    kind,
    handler: name,
    lane: kind === "deferred" ? definition.lane : null,
    intent,
    agent,
    time: new Date(time).toISOString(),
    key: idempotencyKey({ ...row, space, id: intent }),
    attempts: progress.attempt,
    error: progress.error ?? progress.own?.error ?? null,
    decided: progress.decided,
  };
}

export function effectDetailJson(row: Row, space: Bytes): object {
  const { progress } = row;
  return {
    ...effectJson(row, space),
    arguments: jsonOf(row.arguments),
    digest: hexOf(row.digest),
    result: jsonOf(progress.result ?? progress.own?.result ?? null),
    claims: progress.claims,
    inDoubt: progress.inDoubt,
  };
}

function jsonOf(bytes: Uint8Array | null): unknown {
  if (bytes === null) return null;
  const decoded = decodeJson(bytes);
  return decoded === undefined ? { bytes: Buffer.from(bytes).toString("base64") } : decoded.value;
}
