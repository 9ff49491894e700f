import { describe, expect, test } from "vitest";
import { beforeGenesis, sha256, toKey } from "@seriatim/protocol";
import type { Bytes } from "@seriatim/protocol";
import { initialState, restoredState, type KeyVersion } from "../../services/sequencer/src/core/index.ts";
import type { Claim, Head, HeldEffect, MemoryState } from "../../services/sequencer/src/core/index.ts";

const all = { from: "" as Bytes, to: "\xff" as Bytes };

function headAt(offset: number): Head {
  return { position: { offset, chain: sha256(Buffer.from(String(offset))) }, time: offset };
}

function holdAt(offset: number): HeldEffect {
  return { offset, index: offset % 3, digest: sha256(Buffer.from(`hold ${offset}`)), deadline: offset + 50 };
}

function claimAt(offset: number, cancelled = false): Claim {
  return { offset, digest: sha256(Buffer.from(`claim ${offset}`)), cancelled };
}

/** Records from 0 on, one id and one key each, and a hold with every tenth; a key comes again every `keys` records, an id every `ids`. */
function fill(state: MemoryState, records: number, { keys, ids }: { keys: number; ids: number }): void {
  for (let offset = 0; offset < records; offset += 1) {
    state.noteWrite(toKey(`a/${offset % keys}`), offset);
    state.noteClaim(`id ${offset % ids}`, claimAt(offset, offset % 5 === 0));
    if (offset % 10 === 0) state.noteHold(`id ${offset % ids}`, holdAt(offset));
    state.moveTo(headAt(offset));
  }
}

describe("the state in memory", () => {
  test("remembers the window and nothing older (invariant 7)", () => {
    const state = initialState(1_500);
    fill(state, 10_000, { keys: 100_000, ids: 100_000 });
    state.audit();
    // At 9,999: a record at 10,000 may have 8,500 for its snapshot.
    expect(state.lastWrite(toKey("a/8499"))).toBe(-1);
    expect(state.lastWrite(toKey("a/8500"))).toBe(8_500);
    expect(state.claim("id 8499")).toBeUndefined();
    expect(state.claim("id 8500")).toEqual(claimAt(8_500, true));
    expect(state.claim("id 9995")).toEqual(claimAt(9_995, true));
    expect(state.claim("id 9996")).toEqual(claimAt(9_996));
    expect(state.newestIn(all, 8_499, Infinity).length).toBe(1_500);
    expect(state.holds("id 8490")).toEqual([]);
    expect(state.holds("id 8500")).toEqual([holdAt(8_500)]);
    expect(state.size).toEqual({ keys: 1_500, ids: 1_500, holds: 150 });
  });

  test("keeps what was written or claimed anew before it was forgotten, and forgets it in its own time", () => {
    const state = initialState(1_500);
    fill(state, 10_000, { keys: 1_000, ids: 1_400 });
    state.audit();
    // The last 1,500, of which the oldest hundred came again 1,400 records later.
    expect(state.size).toEqual({ keys: 1_000, ids: 1_400, holds: 150 });
    expect(state.holds("id 100")).toEqual([holdAt(8_500), holdAt(9_900)]);
    expect(state.lastWrite(toKey("a/0"))).toBe(9_000);
    expect(state.claim("id 0")).toEqual(claimAt(9_800, true));
    state.moveTo(headAt(10_500));
    expect(state.lastWrite(toKey("a/0"))).toBe(-1);
    expect(state.lastWrite(toKey("a/1"))).toBe(9_001);
    expect(state.holds("id 100")).toEqual([holdAt(9_900)]);
    state.moveTo(headAt(20_000));
    expect(state.size).toEqual({ keys: 0, ids: 0, holds: 0 });
  });

  test("restored at a head is the one that came there", () => {
    const evolved = initialState(100);
    fill(evolved, 1_000, { keys: 60, ids: 500 });
    const writes = evolved.newestIn(all, 899, Infinity);
    const claims = Array.from({ length: 500 }, (_, number) => {
      const id = `id ${number}`;
      const claim = evolved.claim(id);
      return claim === undefined ? [] : [{ id, ...claim }];
    }).flat();
    const holds = Array.from({ length: 500 }, (_, number) => {
      const id = `id ${number}`;
      return evolved.holds(id).map(({ offset, index, digest, deadline }) => ({ id, offset, index, digest, deadline }));
    }).flat();
    expect(holds).toHaveLength(10);
    // With what the window no longer reaches, and a key's earlier write.
    const forgotten = { key: toKey("a/old"), version: 3 };
    const old = { id: "old", ...claimAt(3) };
    const restored = restoredState(100, {
      head: evolved.head,
      writes: [forgotten, { key: writes[0]?.key ?? forgotten.key, version: 4 }, ...inOrder(writes)],
      claims: [old, ...claims.toSorted((a, b) => a.offset - b.offset)],
      holds: [{ id: "old", ...holdAt(3) }, ...holds.toSorted((a, b) => a.offset - b.offset)],
    });
    restored.audit();
    expect(restored.head).toEqual(evolved.head);
    expect(restored.size).toEqual(evolved.size);
    expect(restored.newestIn(all, 899, Infinity)).toEqual(writes);
    expect(restored.claim("id 499")).toEqual(evolved.claim("id 499"));
    expect(restored.holds("id 490")).toEqual(evolved.holds("id 490"));
    expect(restored.claim("old")).toBeUndefined();
    expect(restored.holds("old")).toEqual([]);
  });

  test("restored before the genesis is the initial one", () => {
    const head: Head = { position: beforeGenesis, time: 0 };
    expect(restoredState(100, { head, writes: [], claims: [], holds: [] }).head).toEqual(initialState(100).head);
  });
});

function inOrder(writes: readonly KeyVersion[]): readonly KeyVersion[] {
  return writes.toSorted((a, b) => a.version - b.version);
}
