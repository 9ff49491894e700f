import { asBuffer } from "./buffers.ts";
import { bufferOf, bytesOf } from "./keys.ts";
import type { Cancel, Expire, Hold, Intent, IntentKind, Isolation, Submit } from "./types.ts";
import { effectToWire, optionalBuffer, type WireEffect } from "./wire-parts.ts";

/** Records as `avsc` has them, and their translation: there a key is a Buffer, here it is {@link Bytes}. */
interface WireAddress {
  readonly space: Buffer;
  readonly partition: number;
  readonly id: string;
  readonly agent: string;
  readonly snapshot: number;
}

interface WireSubmit extends WireAddress {
  readonly isolation: Isolation;
  readonly points: readonly { readonly key: Buffer; readonly version: number | null }[];
  readonly ranges: readonly { readonly from: Buffer; readonly to: Buffer }[];
  readonly writes: readonly { readonly key: Buffer; readonly value: Buffer | null; readonly blind: boolean }[];
  readonly effects: readonly WireEffect[];
  readonly holds: readonly number[];
  readonly validFrom: number | null;
  readonly validUntil: number | null;
  readonly result: Buffer | null;
}

type WireCancel = WireAddress;

interface WireHold extends WireAddress {
  readonly attempt: string;
  readonly index: number;
  readonly name: string;
  readonly arguments: Buffer;
  readonly undo: string | null;
  readonly lease: number;
  readonly timeout: number;
}

interface WireExpire extends WireAddress {
  readonly hold: number;
}

/** In the form of the schema of its kind. */
export function intentToWire(intent: Intent): object {
  switch (intent.kind) {
    case "submit":
      return submitToWire(intent);
    case "hold":
      return { ...intent, space: bufferOf(intent.space), arguments: asBuffer(intent.arguments) } satisfies WireHold;
    case "cancel":
    case "expire":
      return { ...intent, space: bufferOf(intent.space) };
  }
}

/** @param wire as the schema of `kind` has it. */
export function intentFromWire(kind: IntentKind, wire: unknown): Intent {
  switch (kind) {
    case "submit":
      return submitFromWire(wire as WireSubmit);
    case "cancel":
      return cancelFromWire(wire as WireCancel);
    case "hold":
      return holdFromWire(wire as WireHold);
    case "expire":
      return expireFromWire(wire as WireExpire);
  }
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

function submitFromWire(wire: WireSubmit): Submit {
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
    holds: wire.holds,
    validFrom: wire.validFrom,
    validUntil: wire.validUntil,
    result: wire.result,
  };
}

function cancelFromWire(wire: WireCancel): Cancel {
  const { partition, id, agent, snapshot } = wire;
  return { kind: "cancel", space: bytesOf(wire.space), partition, id, agent, snapshot };
}

function holdFromWire(wire: WireHold): Hold {
  const { partition, id, agent, snapshot, attempt, index, name, arguments: args, undo, lease, timeout } = wire;
  return {
    kind: "hold",
    space: bytesOf(wire.space),
    partition,
    id,
    agent,
    snapshot,
    attempt,
    index,
    name,
    arguments: args,
    undo,
    lease,
    timeout,
  };
}

function expireFromWire(wire: WireExpire): Expire {
  const { partition, id, agent, snapshot, hold } = wire;
  return { kind: "expire", space: bytesOf(wire.space), partition, id, agent, snapshot, hold };
}
