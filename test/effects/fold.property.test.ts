/* What both logs say of the effects, against a model that looks at all that they hold: read in any order, by two that share
 * a file, are ahead of each other, and begin again. */
import { SqliteFile, type LogRecord } from "@seriatim/log";
import {
  beforeGenesis,
  claimsId,
  createCodec,
  createEffectsCodec,
  createGenesis,
  emptyIntent,
  encodeGenesis,
  sha256,
  type EffectRecord,
  type EffectResult,
  type EffectSide,
  type Intent,
  type Verdict,
} from "@seriatim/protocol";
import { decide, evolve, initialState } from "@seriatim/sequencer";
import { EffectsStore, type EffectId } from "@seriatim/effects-worker";
import fc from "fast-check";
import { expect, it } from "vitest";
import { apply, isOpen, noProgress, type Progress } from "../../services/effects-worker/src/core/index.ts";
import { PartitionFold } from "../../services/effects-worker/src/fold/partition-fold.ts";

const window = 6;
const genesis = createGenesis({ partitions: 1, limits: { window } });
const codec = createCodec(genesis, sha256);
const effectsCodec = createEffectsCodec(genesis);
const args = [Buffer.from("0"), Buffer.from("1")] as const;

type Act =
  | { readonly kind: "hold"; readonly id: number; readonly undo: boolean }
  | { readonly kind: "commit"; readonly id: number; readonly effects: number; readonly confirms: boolean }
  | { readonly kind: "cancel"; readonly id: number };

const id = fc.nat(3);
const acts = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("hold" as const), id, undo: fc.boolean() }),
    fc.record({ kind: fc.constant("commit" as const), id, effects: fc.nat(2), confirms: fc.boolean() }),
    fc.record({ kind: fc.constant("cancel" as const), id }),
  ),
  { minLength: 1, maxLength: 14 },
);

/** The verdicts log, as the sequencer's core decides it. */
function verdictsOf(taken: readonly Act[]): Verdict[] {
  const state = initialState(window);
  const verdicts: Verdict[] = [];
  const append = (bytes: Uint8Array): void => {
    const record = { offset: verdicts.length, appendTime: 1_000 + verdicts.length, bytes, digest: sha256(bytes) };
    const { verdict } = decide({ genesis, codec }, 0, state.head, state, record);
    evolve(state, verdict);
    verdicts.push(verdict);
  };
  append(encodeGenesis(genesis));
  for (const [index, act] of taken.entries()) append(codec.encodeIntent(intentOf(act, index, verdicts)));
  return verdicts;
}

function intentOf(act: Act, index: number, verdicts: readonly Verdict[]): Intent {
  const holds = verdicts.filter((each) => each.outcome.kind === "held" && each.id === `id-${act.id}`);
  const snapshot = Math.min(verdicts.length, ...holds.slice(0, 1).map(({ offset }) => offset)) - 1;
  const base = { space: genesis.space, partition: 0, id: `id-${act.id}`, agent: "agent", snapshot };
  switch (act.kind) {
    case "hold": {
      const hold = { name: "reserve", arguments: args[0], undo: act.undo ? "release" : null, lease: 100, timeout: 10 };
      return { kind: "hold", ...base, attempt: `${index}`, index: holds.length, ...hold };
    }
    case "commit": {
      const effects = Array.from({ length: act.effects }, () => ({ name: "note", lane: "a", arguments: args[0] }));
      return { ...emptyIntent, ...base, effects, holds: act.confirms ? holds.map(({ offset }) => offset) : [] };
    }
    case "cancel":
      return { kind: "cancel", ...base };
  }
}

const result = fc.constantFrom<EffectResult>(
  { kind: "done", result: Buffer.from("1") },
  { kind: "again", error: "away", delay: 5 },
  { kind: "failed", error: "refused" },
  { kind: "unknown", error: "lost" },
);

const sides = fc.constantFrom<EffectSide>("forward", "undo");
const told = fc.record({
  /** Of those that the verdicts have brought about, or one more. */
  place: fc.nat(3),
  index: fc.constantFrom(0, 0, 0, 1),
  digest: fc.constantFrom<0 | 1>(0, 0, 0, 1),
  what: fc.oneof(
    fc.record({ kind: fc.constant("claim" as const), side: sides, attempt: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant("report" as const), side: sides, claim: fc.integer({ min: 1, max: 20 }), result }),
    fc.record({
      kind: fc.constant("report" as const),
      side: fc.constant("forward" as const),
      claim: fc.constant(null),
      result,
    }),
    fc.record({
      kind: fc.constant("decision" as const),
      side: sides,
      act: fc.constantFrom("retry" as const, "resolve" as const, "drop" as const),
    }),
  ),
});

type Told = typeof told extends fc.Arbitrary<infer Value> ? Value : never;

/** The effects log, with what is true in it and what is void. */
function recordsOf(taken: readonly Told[], verdicts: readonly Verdict[]): EffectRecord[] {
  const places = verdicts.filter(({ outcome: { kind } }) => kind === "held" || kind === "committed");
  return taken.map(({ place, index, digest, what: { side, ...what } }) => {
    const effect = { offset: places[place]?.offset ?? verdicts.length, index, side };
    const base = { space: genesis.space, partition: 0, effect, arguments: sha256(args[digest]) };
    return what.kind === "decision"
      ? { ...base, ...what, who: "ops", why: "seen" }
      : { ...base, ...what, worker: "worker" };
  });
}

interface Shown {
  readonly kind: string;
  readonly isOpen: boolean;
  readonly progress: Omit<Progress, "applied">;
}

function shown(progress: Progress, kind: string, isHeld: boolean): Shown {
  const { applied: _, ...rest } = progress;
  const isWanted = isOpen(rest.state) && (kind !== "undo" || rest.own?.outcome !== "failed");
  return { kind, isOpen: kind === "hold" ? isHeld : isWanted, progress: rest };
}

/** By name, what stands at the end of both logs. */
function modelOf(verdicts: readonly Verdict[], records: readonly EffectRecord[]): Map<string, Shown> {
  const progressOf = (name: string): Progress =>
    records.reduce(
      (progress, record, index) =>
        nameOf(record.effect, record.arguments) === name ? apply(progress, record, index + 1) : progress,
      noProgress,
    );
  const found = new Map<string, Shown>();
  const digest = sha256(args[0]);
  for (const { offset, id: intent, outcome } of verdicts) {
    if (outcome.kind === "committed")
      for (const index of outcome.effects.keys()) {
        const name = nameOf({ offset, index, side: "forward" }, digest);
        found.set(name, shown(progressOf(name), "deferred", false));
      }
    if (outcome.kind !== "held") continue;
    const end = verdicts.find(
      (each) =>
        each.offset > offset && ((each.id === intent && claimsId(each.outcome)) || each.offset > offset + window),
    );
    const { index, undo } = outcome;
    const name = nameOf({ offset, index, side: "forward" }, digest);
    const forward = progressOf(name);
    found.set(name, shown(forward, "hold", end === undefined));
    const isKept = end?.outcome.kind === "committed" && end.outcome.holds.includes(offset);
    if (end === undefined || isKept || undo === null) continue;
    const inverse = nameOf({ offset, index, side: "undo" }, digest);
    found.set(inverse, shown({ ...progressOf(inverse), own: forward.own }, "undo", false));
  }
  return found;
}

function nameOf({ offset, index, side }: Pick<EffectId, "offset" | "index" | "side">, digest: string): string {
  return `${offset}#${index} ${side} ${Buffer.from(digest, "latin1").toString("hex").slice(0, 8)}`;
}

function logOf(values: readonly Uint8Array[]): LogRecord[] {
  return values.map((value, offset) => ({ offset, value, time: 1_000, headers: {} }));
}

type Logs = Readonly<Record<"verdicts" | "effects", readonly LogRecord[]>>;
type Step = readonly [reader: 0 | 1, what: "verdicts" | "effects" | "store" | "beginAgain", count: number];

function ignore(): void {}

/** One that reads both logs, and keeps what it has read in a file that it shares. */
class Reader {
  readonly #store: EffectsStore;
  readonly #logs: Logs;
  fold: PartitionFold;

  constructor(store: EffectsStore, logs: Logs) {
    this.#store = store;
    this.#logs = logs;
    this.fold = this.#made();
  }

  async take(what: Step[1], count: number): Promise<void> {
    const { nextVerdict, nextEffect } = this.fold.position;
    switch (what) {
      case "verdicts":
        return this.fold.takeVerdicts(this.#logs.verdicts.slice(nextVerdict, nextVerdict + count));
      case "effects":
        return this.fold.takeEffects(this.#logs.effects.slice(nextEffect, nextEffect + count));
      case "store":
        return this.fold.flush();
      case "beginAgain":
        this.fold = this.#made();
    }
  }

  #made(): PartitionFold {
    const parts = { partition: 0, genesis, codec, effectsCodec, hash: sha256, store: this.#store, onChange: ignore };
    return new PartitionFold(parts);
  }
}

const reader = fc.constantFrom<Step[0]>(0, 1);
const steps = fc.array(
  fc.oneof(
    fc.tuple(reader, fc.constantFrom<Step[1]>("verdicts", "effects"), fc.integer({ min: 1, max: 9 })),
    fc.tuple(reader, fc.constantFrom<Step[1]>("store", "beginAgain"), fc.constant(0)),
  ),
  { maxLength: 30 },
);

const hold = (of: number): Act => ({ kind: "hold", id: of, undo: true });
const cancel = (of: number): Act => ({ kind: "cancel", id: of });
const saying = (what: Told["what"]): Told => ({ place: 0, index: 0, digest: 0, what });
const ownCall = saying({ kind: "report", side: "forward", claim: null, result: { kind: "done", result: null } });
const claim = saying({ kind: "claim", side: "undo", attempt: 1 });

/** What goes wrong most easily. */
const examples: [Act[], Told[], Step[]][] = [
  // The inverse is stored, and who has read of it before its verdict does not see it.
  [[hold(0), cancel(0)], [claim], [[1, "effects", 2]]],
  // What an agent said of its call is stored by one, and its inverse by another that has not heard of it.
  [
    [hold(0), cancel(0)],
    [ownCall],
    [
      [1, "effects", 2],
      [0, "verdicts", 3],
      [1, "store", 0],
      [0, "store", 0],
      [1, "verdicts", 2],
    ],
  ],
  // It is read with what was stored of the hold, and taken to be as new as that.
  [
    [hold(0), cancel(0)],
    [
      claim,
      saying({ kind: "report", side: "undo", claim: 1, result: { kind: "again", error: "away", delay: 5 } }),
      ownCall,
    ],
    [
      [1, "verdicts", 2],
      [1, "store", 0],
      [1, "effects", 2],
      [0, "effects", 9],
      [0, "store", 0],
      [1, "verdicts", 9],
    ],
  ],
  // A hold that others have stored is noted before those that stand before it.
  [
    [hold(0), hold(1), ...Array.from({ length: 6 }, () => cancel(2))],
    [{ ...claim, place: 1, what: { kind: "claim", side: "forward", attempt: 1 } }],
    [
      [1, "verdicts", 3],
      [1, "store", 0],
      [0, "effects", 2],
    ],
  ],
];

it("is the same for all that read it, in whichever order", async () => {
  const property = fc.asyncProperty(acts, fc.array(told, { maxLength: 20 }), steps, async (done, said, taken) => {
    const verdicts = verdictsOf(done);
    const records = recordsOf(said, verdicts);
    const file = SqliteFile.inMemory();
    const store = await EffectsStore.open(file, encodeGenesis(genesis));
    const effects = [encodeGenesis(genesis), ...records.map((record) => effectsCodec.encode(record))];
    const logs = { verdicts: logOf(encoded(verdicts)), effects: logOf(effects) };
    const readers = [new Reader(store, logs), new Reader(store, logs)] as const;
    for (const [who, what, count] of taken) {
      await readers[who].take(what, count);
      const { lanes, position } = readers[who].fold;
      // What stands before it in its lane is known then.
      for (const { offset } of lanes.heads()) expect(offset).toBeLessThanOrEqual(position.applied);
    }
    const model = modelOf(verdicts, records);
    for (const each of readers) {
      for (const what of ["verdicts", "effects"] as const) await each.take(what, Number.POSITIVE_INFINITY);
      check(each.fold, model);
      await each.take("store", 0);
    }
    await readers[0].take("beginAgain", 0);
    check(readers[0].fold, model);
    file.close();
  });
  await fc.assert(property, { numRuns: 300, examples });
});

function encoded(verdicts: readonly Verdict[]): Uint8Array[] {
  let predecessor = beforeGenesis;
  return verdicts.map((verdict) => {
    const { bytes, chain } = codec.encodeVerdict({ ...verdict, predecessor });
    predecessor = { offset: verdict.offset, chain };
    return bytes;
  });
}

function check(fold: PartitionFold, model: ReadonlyMap<string, Shown>): void {
  const found = new Map<string, Shown>();
  for (const { definition, progress, digest, ...place } of fold.all()) {
    if (definition === null) continue;
    const isHeld = definition.kind === "hold" && definition.isOpen;
    found.set(nameOf(place, digest), shown(progress, definition.kind, isHeld));
  }
  expect(sorted(found)).toEqual(sorted(model));
  const open = (kind: string): string[] =>
    sorted(model)
      .filter(([, each]) => each.kind === kind && each.isOpen)
      .map(([name]) => name);
  expect(namesOf(fold.holds)).toEqual(open("hold"));
  expect(namesOf(fold.undos)).toEqual(open("undo"));
  expect(fold.openByHandler.get("note") ?? 0).toBe(open("deferred").length);
  expect(fold.openByHandler.get("release") ?? 0).toBe(open("undo").length);
}

function sorted(entries: ReadonlyMap<string, Shown>): [string, Shown][] {
  return [...entries].toSorted(([one], [other]) => (one < other ? -1 : 1));
}

function namesOf(ids: Iterable<Omit<EffectId, "partition">>): string[] {
  return Array.from(ids, (each) => nameOf(each, each.digest)).toSorted();
}
