import { copyFileSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { toKey } from "@seriatim/protocol";
import { makeRecordable, recorded, Replay } from "./recording.ts";
import { fillSpace, intentOf, openSpace, writeOf } from "./spaces.ts";
import { keyOf, microseconds, type Pace } from "./workload.ts";

makeRecordable();

type Calls = Awaited<ReturnType<typeof recorded>>;

/** Transactions before the measurement, of the same kind: the write-ahead log gets its full length, the code warm. */
const warmUp = 2_000;

/** The rows that commits leave in a space's file, written by SQLite alone: no reads, no decision, no encoding. */
export class BareSqlite {
  readonly #path: string;
  readonly #recordings = new Map<number, readonly [Calls, Calls]>();

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(path: string): Promise<BareSqlite> {
    await fillSpace(path);
    return new BareSqlite(path);
  }

  /** Commits the rows of `batch` intents at a time, for so many seconds. */
  async run(batch: number, seconds: number): Promise<Pace> {
    const [before, last] = await this.#recording(batch);
    const copy = `${this.#path}.copy`;
    copyFileSync(this.#path, copy);
    const database = new Database(copy);
    try {
      for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "cache_size = -16000"]) database.pragma(pragma);
      const replay = new Replay(database, before, last);
      const transaction = database.transaction(() => replay.next());
      for (let done = 0; done < warmUp; done += batch) transaction.immediate();
      const processor = process.cpuUsage();
      const begun = performance.now();
      let count = 0;
      for (; performance.now() - begun < seconds * 1000; count += batch) transaction.immediate();
      const perSecond = (count * 1000) / (performance.now() - begun);
      return { perSecond, processor: microseconds(process.cpuUsage(processor)) / count };
    } finally {
      database.close();
      for (const suffix of ["", "-wal", "-shm"]) rmSync(`${copy}${suffix}`, { force: true });
    }
  }

  /** What two transactions in a row write, of so many intents each. */
  async #recording(batch: number): Promise<readonly [Calls, Calls]> {
    const known = this.#recordings.get(batch);
    if (known !== undefined) return known;
    const file = `${this.#path}.sample`;
    copyFileSync(this.#path, file);
    const space = await openSpace(file, { socket: false });
    const commit = async (): Promise<unknown> => {
      const snapshot = space.view.position(0).offset;
      const intents = Array.from({ length: batch }, (_, index) => {
        const points = [2 * index, 2 * index + 1].map((key) => {
          const name = toKey(keyOf(key));
          return { key: name, version: space.view.version(name, snapshot) };
        });
        const writes = [{ ...writeOf(2 * index, 1), blind: false }];
        return space.codec.encodeIntent(intentOf(space, crypto.randomUUID(), { points, writes, snapshot }));
      });
      return Promise.all(intents.map((intent) => space.append(0, intent)));
    };
    // Not the first, which finds each key as it was filled in.
    await commit();
    const recording = [await recorded(commit), await recorded(commit)] as const;
    await space.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
    this.#recordings.set(batch, recording);
    return recording;
  }
}
