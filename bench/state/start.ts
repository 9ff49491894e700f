import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SqliteFile } from "@seriatim/log";
import {
  beforeGenesis,
  createCodec,
  createGenesis,
  encodeGenesis,
  sha256,
  toBytes,
  type Outcome,
  type Position,
  type Verdict,
} from "@seriatim/protocol";
import { restoredState } from "@seriatim/sequencer";
import { View } from "@seriatim/view";

/** So many verdicts are folded in one transaction. */
const batch = 5_000;

/** Fills a view with a window of commits of two keys each, and measures how a sequencer's state is loaded from it. */
export async function measureStart(window: number): Promise<Readonly<Record<string, number>>> {
  const folder = mkdtempSync(join(tmpdir(), "seriatim-bench-"));
  try {
    const file = SqliteFile.open(join(folder, "view.db"), { synchronous: "normal" });
    const view = await View.open(file);
    const began = performance.now();
    for (const verdicts of verdictsOf(window)) await file.transaction(() => view.fold(0, verdicts));
    const folded = performance.now();
    globalThis.gc?.();
    const before = process.memoryUsage();

    const loading = performance.now();
    const { offset, chain, time } = view.position(0);
    const oldest = offset - window;
    const state = await file.read(() =>
      restoredState(window, {
        head: { position: { offset, chain }, time },
        writes: view.recentWrites(0, oldest),
        claims: view.recentClaims(0, oldest),
        holds: view.recentHolds(0, oldest),
      }),
    );
    const loaded = performance.now();
    globalThis.gc?.();
    const after = process.memoryUsage();
    const { size } = statSync(file.path);
    file.close();
    return {
      "start: window": window,
      ...state.size,
      "load in ms": Math.round(loaded - loading),
      "heap of the state in MiB": Math.round((after.heapUsed - before.heapUsed) / 2 ** 20),
      "resident MiB": Math.round(after.rss / 2 ** 20),
      "view MiB": Math.round(size / 2 ** 20),
      "folded verdicts a second": Math.round((window * 1000) / (folded - began)),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A genesis and so many commits, each under an id of its own, in batches as they are read. */
function* verdictsOf(count: number): Iterable<{ at: number; verdict: Verdict }[]> {
  const genesis = createGenesis({ partitions: 1 });
  const codec = createCodec(genesis, sha256);
  const value = Buffer.from("value");
  let predecessor: Position = beforeGenesis;
  let read: { at: number; verdict: Verdict }[] = [];
  for (let offset = 0; offset <= count; offset += 1) {
    const keys = [`a/${offset}/balance`, `a/${offset}/owner`].map(toBytes);
    const outcome: Outcome =
      offset === 0
        ? { kind: "genesis", genesis: encodeGenesis(genesis) }
        : { kind: "committed", writes: keys.map((key) => ({ key, value })), effects: [], holds: [], result: null };
    const digest = sha256(Buffer.from(String(offset)));
    const id = offset === 0 ? null : `0b91c2a4-5f6e-4d3b-9a8c-${String(offset).padStart(12, "0")}`;
    const draft = {
      space: genesis.space,
      partition: 0,
      offset,
      predecessor,
      digest,
      id,
      agent: "agent",
      time: offset,
      outcome,
    };
    const { chain } = codec.encodeVerdict(draft);
    read.push({ at: offset, verdict: { ...draft, chain } });
    predecessor = { offset, chain };
    if (read.length < batch && offset < count) continue;
    yield read;
    read = [];
  }
}
