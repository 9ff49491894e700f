import { asBuffer } from "../../libs/protocol/src/buffers.ts";
import { bufferOf, bytesOf } from "../../libs/protocol/src/keys.ts";
import type { ConflictKind, InvalidReason, Outcome, RefusalCode, Verdict } from "@seriatim/protocol";
import { effectToWire, optionalBuffer, type WireEffect } from "../../libs/protocol/src/wire-parts.ts";

/** Verdicts as `avsc` has them: there a key is a Buffer. */
type WireOutcome =
  | { readonly "seriatim.Founded": { readonly genesis: Buffer } }
  | {
      readonly "seriatim.Committed": {
        readonly writes: readonly { readonly key: Buffer; readonly value: Buffer | null }[];
        readonly effects: readonly WireEffect[];
        readonly holds: readonly number[];
        readonly result: Buffer | null;
      };
    }
  | {
      readonly "seriatim.Refused": {
        readonly code: RefusalCode;
        readonly reason: InvalidReason | null;
        readonly conflicts: readonly { readonly kind: ConflictKind; readonly key: Buffer; readonly version: number }[];
        readonly first: number | null;
      };
    }
  | { readonly "seriatim.Cancelled": object }
  | {
      readonly "seriatim.Held": {
        readonly index: number;
        readonly name: string;
        readonly arguments: Buffer;
        readonly undo: string | null;
        readonly deadline: number;
        readonly timeout: number;
      };
    }
  | { readonly "seriatim.Expired": object }
  | { readonly "seriatim.Repeated": { readonly first: number } };

export interface WireVerdict {
  readonly space: Buffer;
  readonly partition: number;
  readonly offset: number;
  readonly predecessorOffset: number;
  readonly predecessorChain: Buffer;
  readonly digest: Buffer;
  readonly id: string | null;
  readonly agent: string | null;
  readonly time: number;
  readonly outcome: WireOutcome;
  readonly chain: Buffer;
}

function outcomeToWire(outcome: Outcome): WireOutcome {
  switch (outcome.kind) {
    case "genesis":
      return { "seriatim.Founded": { genesis: asBuffer(outcome.genesis) } };
    case "committed":
      return {
        "seriatim.Committed": {
          writes: outcome.writes.map(({ key, value }) => ({ key: bufferOf(key), value: optionalBuffer(value) })),
          effects: outcome.effects.map(effectToWire),
          holds: outcome.holds,
          result: optionalBuffer(outcome.result),
        },
      };
    case "refused": {
      const conflicts = outcome.conflicts.map((conflict) => ({ ...conflict, key: bufferOf(conflict.key) }));
      return { "seriatim.Refused": { ...outcome, conflicts } };
    }
    case "cancelled":
      return { "seriatim.Cancelled": {} };
    case "held":
      return { "seriatim.Held": { ...outcome, arguments: asBuffer(outcome.arguments) } };
    case "expired":
      return { "seriatim.Expired": {} };
    case "repeated":
      return { "seriatim.Repeated": { first: outcome.first } };
  }
}

function outcomeFromWire(wire: WireOutcome): Outcome {
  if ("seriatim.Founded" in wire) return { kind: "genesis", genesis: wire["seriatim.Founded"].genesis };
  if ("seriatim.Committed" in wire) {
    const { writes, effects, holds, result } = wire["seriatim.Committed"];
    return {
      kind: "committed",
      writes: writes.map(({ key, value }) => ({ key: bytesOf(key), value })),
      effects,
      holds,
      result,
    };
  }
  if ("seriatim.Refused" in wire) {
    const { code, reason, first, conflicts } = wire["seriatim.Refused"];
    return {
      kind: "refused",
      code,
      reason,
      first,
      conflicts: conflicts.map(({ kind, key, version }) => ({ kind, key: bytesOf(key), version })),
    };
  }
  if ("seriatim.Cancelled" in wire) return { kind: "cancelled" };
  if ("seriatim.Held" in wire) {
    const { index, name, arguments: args, undo, deadline, timeout } = wire["seriatim.Held"];
    return { kind: "held", index, name, arguments: args, undo, deadline, timeout };
  }
  if ("seriatim.Expired" in wire) return { kind: "expired" };
  return { kind: "repeated", first: wire["seriatim.Repeated"].first };
}

const noChain = Buffer.alloc(32);

/** With 32 zero bytes for the chain hash, which is known only once the rest is encoded. */
export function verdictToWire(verdict: Omit<Verdict, "chain">): WireVerdict {
  return {
    space: bufferOf(verdict.space),
    partition: verdict.partition,
    offset: verdict.offset,
    predecessorOffset: verdict.predecessor.offset,
    predecessorChain: bufferOf(verdict.predecessor.chain),
    digest: bufferOf(verdict.digest),
    id: verdict.id,
    agent: verdict.agent,
    time: verdict.time,
    outcome: outcomeToWire(verdict.outcome),
    chain: noChain,
  };
}

export function verdictFromWire(wire: WireVerdict): Verdict {
  return {
    space: bytesOf(wire.space),
    partition: wire.partition,
    offset: wire.offset,
    predecessor: { offset: wire.predecessorOffset, chain: bytesOf(wire.predecessorChain) },
    digest: bytesOf(wire.digest),
    id: wire.id,
    agent: wire.agent,
    time: wire.time,
    outcome: outcomeFromWire(wire.outcome),
    chain: bytesOf(wire.chain),
  };
}
