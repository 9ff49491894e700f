import { copyFileSync, existsSync, rmSync } from "node:fs";
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

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(path: string): Promise<BareSqlite> {
    await fillSpace(path);
    return new BareSqlite(path);
  }

  /** Commits the rows of `batch` intents at a time, for so many seconds; `like`: see {@link BareSqlite.rows}. */
  async run(batch: number, seconds: number, like?: string): Promise<Pace> {
    const rows = await this.rows(batch, like);
    try {
      for (let done = 0; done < warmUp; done += batch) rows.write();
      const processor = process.cpuUsage();
      const begun = performance.now();
      let count = 0;
      for (; performance.now() - begun < seconds * 1000; count += batch) rows.write();
      const perSecond = (count * 1000) / (performance.now() - begun);
      return { perSecond, processor: microseconds(process.cpuUsage(processor)) / count };
    } finally {
      rows.close();
    }
  }

  /**
   * The rows of `batch` intents, to be written again and again.
   * @param like a space's file that nobody writes to meanwhile: they go into a copy of it, for larger trees cost more.
   */
  async rows(batch: number, like: string = this.#path): Promise<BareRows> {
    const copy = `${this.#path}.copy`;
    for (const suffix of ["", "-wal"])
      if (existsSync(`${like}${suffix}`)) copyFileSync(`${like}${suffix}`, `${copy}${suffix}`);
    const [before, last] = await recordingOf(copy, batch);
    return new BareRows(copy, before, last);
  }
}

/** Rows on their way into a file, which goes when it is closed. */
export class BareRows {
  readonly #path: string;
  readonly #database: Database.Database;
  readonly #transaction: Database.Transaction<(times: number) => void>;

  constructor(path: string, before: Calls, last: Calls) {
    this.#path = path;
    this.#database = new Database(path);
    for (const pragma of ["journal_mode = WAL", "synchronous = FULL", "cache_size = -16000"])
      this.#database.pragma(pragma);
    const replay = new Replay(this.#database, before, last);
    this.#transaction = this.#database.transaction((times: number) => {
      for (let done = 0; done < times; done += 1) replay.next();
    });
  }

  /** In one transaction, so many times. */
  write(times = 1): void {
    this.#transaction.immediate(times);
  }

  close(): void {
    this.#database.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${this.#path}${suffix}`, { force: true });
  }
}

/** What two transactions in a row write, of so many intents each. */
async function recordingOf(path: string, batch: number): Promise<readonly [Calls, Calls]> {
  const space = await openSpace(path, { socket: false });
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
  return recording;
}
