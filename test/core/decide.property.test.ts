import { Buffer } from "node:buffer";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  beforeGenesis,
  createCodec,
  claimsId,
  inRange,
  invalidReasons,
  refusalCodes,
  sha256,
} from "@seriatim/protocol";
import type { Key, KeyRange, Verdict } from "@seriatim/protocol";
import { decide, evolve, initialState, restoredState } from "../../services/sequencer/src/core/index.ts";
import type { Claim, Head, HeldEffect, KeyVersion, State } from "../../services/sequencer/src/core/index.ts";
import { described, logs } from "./logs.ts";
import type { Log } from "./logs.ts";
import { verdictsOf } from "./model.ts";
import { holds } from "./seeded.ts";

/** A state that keeps every verdict and forgets nothing. */
class Remembering implements State {
  readonly verdicts: Verdict[] = [];

  get head(): Head {
    const last = this.verdicts.at(-1);
    if (last === undefined) return { position: beforeGenesis, time: 0 };
    return { position: { offset: last.offset, chain: last.chain }, time: last.time };
  }

  lastWrite(key: Key): number {
    return this.writes().get(key) ?? -1;
  }

  newestIn(range: KeyRange, after: number, limit: number): readonly KeyVersion[] {
    return [...this.writes()]
      .map(([key, version]) => ({ key, version }))
      .filter(({ key, version }) => inRange(key, range) && version > after)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .slice(0, limit);
  }

  claim(id: string): Claim | undefined {
    const claiming = this.verdicts.findLast((verdict) => verdict.id === id && claimsId(verdict.outcome));
    if (claiming === undefined) return undefined;
    const { offset, digest, outcome } = claiming;
    return { offset, digest, cancelled: outcome.kind === "cancelled" || outcome.kind === "expired" };
  }

  holds(id: string): readonly HeldEffect[] {
    return this.verdicts.flatMap(({ id: of, offset, digest, outcome }) =>
      outcome.kind === "held" && of === id
        ? [{ offset, index: outcome.index, digest, deadline: outcome.deadline }]
        : [],
    );
  }

  writes(): ReadonlyMap<Key, number> {
    const writes = new Map<Key, number>();
    for (const { offset, outcome } of this.verdicts)
      if (outcome.kind === "committed") for (const { key } of outcome.writes) writes.set(key, offset);
    return writes;
  }

  /** What a view hands to a sequencer that starts here. */
  restored() {
    const writes = [...this.writes()].map(([key, version]) => ({ key, version }));
    const ids = new Set(this.verdicts.flatMap(({ id }) => (id === null ? [] : [id])));
    const claims = [...ids].flatMap((id) => {
      const claim = this.claim(id);
      return claim === undefined ? [] : [{ id, ...claim }];
    });
    const held = [...ids].flatMap((id) =>
      this.holds(id).map(({ offset, index, digest, deadline }) => ({ id, offset, index, digest, deadline })),
    );
    return {
      head: this.head,
      writes: writes.toSorted((a, b) => a.version - b.version),
      claims: claims.toSorted((a, b) => a.offset - b.offset),
      holds: held.toSorted((a, b) => a.offset - b.offset),
    };
  }
}

/** Decides the log thrice: with the state in memory, with one that forgets nothing, with one restored half-way. */
function decided({ genesis, partition, records }: Log): readonly Verdict[] {
  const codec = createCodec(genesis, sha256);
  const rules = { genesis, codec };
  const { window } = genesis.limits;
  let memory = initialState(window);
  const remembering = new Remembering();
  const expected = verdictsOf(genesis, partition, records);
  for (const [index, logged] of records.entries()) {
    const record = { ...logged, digest: sha256(logged.bytes) };
    if (index === records.length >> 1) memory = restoredState(window, remembering.restored());
    for (const state of [memory, remembering]) {
      const { verdict, bytes } = decide(rules, partition, state.head, state, record);
      const model = expected[index] ?? Buffer.alloc(0);
      // The verdicts as such only where they differ, for they are what a reader can read.
      if (Buffer.compare(bytes, model) !== 0) expect(verdict).toEqual(codec.decodeVerdict(model));
      expect(Buffer.compare(bytes, model)).toBe(0);
    }
    const readBack = codec.decodeVerdict(expected[index] ?? Buffer.alloc(0));
    if (readBack === undefined) throw new Error(`the verdict on ${logged.offset} cannot be read back`);
    evolve(memory, readBack);
    memory.audit();
    remembering.verdicts.push(readBack);
  }
  return remembering.verdicts;
}

/** What came of a record, in a word. */
function named({ outcome }: Verdict): string {
  if (outcome.kind !== "refused") return outcome.kind;
  if (outcome.reason !== null) return outcome.reason;
  const [first, ...more] = outcome.conflicts.map(({ kind }) => kind);
  return first === undefined ? outcome.code : `${first} conflict${more.length > 0 ? "s" : ""}`;
}

describe("decide and evolve", () => {
  test("give the verdicts, to the byte, of a model that forgets nothing (invariants 1, 3, 5 to 8)", () => {
    holds(
      "test/core/decide.property.test.ts",
      fc.property(logs, (log) => {
        try {
          decided(log);
        } catch (cause) {
          throw new Error(`${cause instanceof Error ? cause.message : String(cause)}\n${described(log)}`, { cause });
        }
      }),
      300,
    );
  }, 120_000);

  test("are put to every outcome by the logs above", () => {
    const decisions = fc.sample(logs, { seed: 1, numRuns: 200 }).flatMap((log) => decided(log).map(named));
    const reached = new Set(decisions);
    const kinds = ["genesis", "committed", "cancelled", "held", "expired", "repeated"];
    const conflicts = ["point", "range", "write"].flatMap((kind) => [`${kind} conflict`, `${kind} conflicts`]);
    const codes = refusalCodes.filter((code) => code !== "invalid" && code !== "conflict");
    const all = [...kinds, ...codes, ...conflicts, ...invalidReasons];
    expect(all.filter((outcome) => !reached.has(outcome))).toEqual([]);
    // Mostly garbage would test little.
    const committed = decisions.filter((outcome) => outcome === "committed").length;
    expect(committed / decisions.length).toBeGreaterThan(0.15);
  }, 60_000);
});
