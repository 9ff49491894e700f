import { join } from "node:path";
import { SqliteFile, SqliteLog } from "@seriatim/log";
import { createCodec, decodeGenesis, sha256, toKey, type RecordCodec } from "@seriatim/protocol";
import { EmbeddedSequencer } from "@seriatim/sequencer";
import { View } from "@seriatim/view";
import type { Options, Part } from "./report.ts";
import { fillSpace, intentOf, writeOf } from "./spaces.ts";
import { anyKey, keyOf } from "./workload.ts";

const batch = 10;

/** Adds up what calls of functions take, by name. */
class Stopwatch {
  readonly times = new Map<string, number>();

  time<T>(name: string, work: () => T): T {
    const begun = performance.now();
    try {
      return work();
    } finally {
      this.times.set(name, (this.times.get(name) ?? 0) + performance.now() - begun);
    }
  }

  /** `target`, with these of its methods timed. */
  watch<T extends object>(target: T, names: Readonly<Partial<Record<keyof T, string>>>): T {
    return new Proxy(target, {
      get: (_, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== "function") return value;
        const name = names[property as keyof T];
        const call = (...args: unknown[]): unknown => Reflect.apply(value, target, args) as unknown;
        return name === undefined ? call : (...args: unknown[]) => this.time(name, () => call(...args));
      },
    });
  }
}

export const time: Part = {
  name: "time",
  about: `where the time of a commit goes, in batches of ${batch}, one process, synchronous=FULL, by the clock`,
  async run(options) {
    const path = join(options.folder, "time.db");
    await fillSpace(path);
    const file = SqliteFile.open(path);
    const watch = new Stopwatch();
    try {
      const count = await commitTimed(file, watch, options);
      const total = watch.times.get("in all") ?? 1;
      const parts = [...watch.times].filter(([name]) => name !== "in all");
      const rest = parts.reduce((left, [, ms]) => left - ms, total);
      const figures = [...parts, ["the lock, COMMIT and its fsync, the event loop", rest] as const].map(
        ([name, ms]) => ({
          name,
          value: (100 * ms) / total,
          unit: "%",
          note: `${((ms * 1000) / count).toFixed(1)} µs a commit`,
        }),
      );
      return { part: "time", figures, ratios: [] };
    } finally {
      file.close();
    }
  },
};

async function commitTimed(file: SqliteFile, watch: Stopwatch, { seconds }: Options): Promise<number> {
  const [intents, verdicts] = [await SqliteLog.open(file, "intents"), await SqliteLog.open(file, "verdicts")];
  const view = await View.open(file);
  const codec = createCodec(decodeGenesis(view.genesis() ?? Buffer.alloc(0)), sha256);
  const sequencer = new EmbeddedSequencer({
    intents: watch.watch(intents, { appendNow: "append: intents rows" }),
    verdicts: watch.watch(verdicts, { appendNow: "append: verdict rows" }),
    view: watch.watch(view, {
      lastWrite: "decide: last writes from SQL",
      newestIn: "decide: ranges from SQL",
      claim: "decide: ids from SQL",
      position: "decide: position from SQL",
      fold: "fold",
    }),
    codec: watch.watch(codec, { decodeIntent: "decide: decode the intent", encodeVerdict: "encode the verdict" }),
    hash: (bytes) => watch.time("decide: hash the record", () => sha256(bytes)),
  });
  const commit = async (): Promise<void> => {
    const records = Array.from({ length: batch }, () => ({ value: anyIntent(view, codec) }));
    const begun = performance.now();
    await file.transaction(() => watch.time("decide: the rest", () => sequencer.commit(records)));
    watch.times.set("in all", (watch.times.get("in all") ?? 0) + performance.now() - begun);
  };
  for (let warmUp = 0; warmUp < 1000; warmUp += 1) await commit();
  watch.times.clear();
  let count = 0;
  for (const end = performance.now() + seconds * 1000; performance.now() < end; count += batch) await commit();
  separate(watch);
  return count;
}

/** What was timed around the others is its own share only. */
function separate({ times }: Stopwatch): void {
  let own = times.get("decide: the rest") ?? 0;
  for (const [name, ms] of times) if (name !== "decide: the rest" && name !== "in all") own -= ms;
  times.set("decide: the rest", own);
}

function anyIntent(view: View, codec: RecordCodec): Uint8Array {
  const { offset: snapshot } = view.position(0);
  const [first, second] = [anyKey(), (anyKey() + 1) % 10_000];
  const points = [...new Set([first, second])].map((index) => {
    const key = toKey(keyOf(index));
    return { key, version: view.version(key, snapshot) };
  });
  const write = { ...writeOf(first, 1), blind: false };
  return codec.encodeIntent(intentOf(codec, crypto.randomUUID(), { points, writes: [write], snapshot }));
}
