import { asBuffer } from "./buffers.ts";
import { bufferOf, bytesOf } from "./keys.ts";
import type {
  Cancel,
  ConflictKind,
  Effect,
  InvalidReason,
  Isolation,
  Outcome,
  RefusalCode,
  Submit,
  Verdict,
} from "./types.ts";

/** Records as `avsc` has them, and their translation: there a key is a Buffer, here it is {@link Bytes}. */
interface WireAddress {
  readonly space: Buffer;
  readonly partition: number;
  readonly id: string;
  readonly agent: string;
  readonly snapshot: number;
}

export interface WireSubmit extends WireAddress {
  readonly isolation: Isolation;
  readonly points: readonly { readonly key: Buffer; readonly version: number | null }[];
  readonly ranges: readonly { readonly from: Buffer; readonly to: Buffer }[];
  readonly writes: readonly { readonly key: Buffer; readonly value: Buffer | null; readonly blind: boolean }[];
  readonly effects: readonly WireEffect[];
  readonly validFrom: number | null;
  readonly validUntil: number | null;
  readonly result: Buffer | null;
}

export type WireCancel = WireAddress;

interface WireEffect {
  readonly name: string;
  readonly lane: string;
  readonly arguments: Buffer;
}

type WireOutcome =
  | { readonly "seriatim.Founded": { readonly genesis: Buffer } }
  | {
      readonly "seriatim.Committed": {
        readonly writes: readonly { readonly key: Buffer; readonly value: Buffer | null }[];
        readonly effects: readonly WireEffect[];
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

function optionalBuffer(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : asBuffer(bytes);
}

function effectToWire(effect: Effect): WireEffect {
  return { name: effect.name, lane: effect.lane, arguments: asBuffer(effect.arguments) };
}

export function submitToWire(submit: Submit): WireSubmit {
  return {
    ...submit,
    space: bufferOf(submit.space),
    points: submit.points.map(({ key, version }) => ({ key: bufferOf(key), version })),
    ranges: submit.ranges.map(({ from, to }) => ({ from: bufferOf(from), to: bufferOf(to) })),
    writes: submit.writes.map(({ key, value, blind }) => ({ key: bufferOf(key), value: optionalBuffer(value), blind })),
    effects: submit.effects.map(effectToWire),
    result: optionalBuffer(submit.result),
  };
}

export function submitFromWire(wire: WireSubmit): Submit {
  return {
    kind: "submit",
    space: bytesOf(wire.space),
    partition: wire.partition,
    id: wire.id,
    agent: wire.agent,
    snapshot: wire.snapshot,
    isolation: wire.isolation,
    points: wire.points.map(({ key, version }) => ({ key: bytesOf(key), version })),
    ranges: wire.ranges.map(({ from, to }) => ({ from: bytesOf(from), to: bytesOf(to) })),
    writes: wire.writes.map(({ key, value, blind }) => ({ key: bytesOf(key), value, blind })),
    effects: wire.effects,
    validFrom: wire.validFrom,
    validUntil: wire.validUntil,
    result: wire.result,
  };
}

export function cancelToWire(cancel: Cancel): WireCancel {
  return { ...cancel, space: bufferOf(cancel.space) };
}

export function cancelFromWire(wire: WireCancel): Cancel {
  const { partition, id, agent, snapshot } = wire;
  return { kind: "cancel", space: bytesOf(wire.space), partition, id, agent, snapshot };
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
          result: optionalBuffer(outcome.result),
        },
      };
    case "refused": {
      const conflicts = outcome.conflicts.map((conflict) => ({ ...conflict, key: bufferOf(conflict.key) }));
      return { "seriatim.Refused": { ...outcome, conflicts } };
    }
    case "cancelled":
      return { "seriatim.Cancelled": {} };
    case "repeated":
      return { "seriatim.Repeated": { first: outcome.first } };
  }
}

function outcomeFromWire(wire: WireOutcome): Outcome {
  if ("seriatim.Founded" in wire) return { kind: "genesis", genesis: wire["seriatim.Founded"].genesis };
  if ("seriatim.Committed" in wire) {
    const { writes, effects, result } = wire["seriatim.Committed"];
    return {
      kind: "committed",
      writes: writes.map(({ key, value }) => ({ key: bytesOf(key), value })),
      effects,
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
