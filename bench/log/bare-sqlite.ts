import Database from "better-sqlite3";
import { bufferOf, sha256, toKey } from "@seriatim/protocol";
import { fillSpace, intentOf, openSpace, writeOf } from "./spaces.ts";
import { anyKey, keyOf, microseconds, type Pace } from "./workload.ts";

/** A record and its verdict as they are stored. */
interface Sample {
  readonly intent: Uint8Array;
  readonly verdict: Uint8Array;
  readonly value: Uint8Array;
}

/** The rows that a commit leaves in a space's file, written by SQLite alone: no decision, no encoding. */
export class BareSqlite {
  readonly #database: Database.Database;
  readonly #sample: Sample;
  readonly #write: (batch: number) => void;
  #offset = 1_000_000;
  #writes = 1_000_000;

  private constructor(path: string, sample: Sample) {
    this.#database = new Database(path);
    this.#sample = sample;
    this.#database.pragma("journal_mode = WAL");
    this.#database.pragma("synchronous = FULL");
    this.#database.pragma("cache_size = -16000");
    this.#write = this.#prepare();
  }

  /** On a copy of a space's tables with the same keys in it. */
  static async open(path: string): Promise<BareSqlite> {
    await fillSpace(path);
    const space = await openSpace(path, { socket: false });
    const points = [1, 2].map((index) => ({ key: toKey(keyOf(index)), version: 1 }));
    const write = { ...writeOf(1, 1), blind: false };
    const snapshot = space.view.position(0).offset;
    const intent = space.codec.encodeIntent(
      intentOf(space, "b3a0e6f2-6b1c-4c5e-9d3c-0f6d6ad0a111", { points, writes: [write], snapshot }),
    );
    await space.append(0, intent);
    const verdict = space.verdicts.readNow(0, snapshot + 1)[0]?.value ?? Buffer.alloc(0);
    await space.close();
    const bare = new BareSqlite(path, { intent, verdict, value: write.value ?? Buffer.alloc(0) });
    // Once the write-ahead log has its full length, it is overwritten and no longer extended, which syncs faster.
    bare.run(100, 1);
    return bare;
  }

  /** Commits `batch` intents' rows at a time, for so many seconds. */
  run(batch: number, seconds: number): Pace {
    const transaction = this.#database.transaction(() => this.#write(batch));
    const begun = performance.now();
    const processor = process.cpuUsage();
    let count = 0;
    while (performance.now() - begun < seconds * 1000) {
      transaction.immediate();
      count += batch;
    }
    return {
      perSecond: (count * 1000) / (performance.now() - begun),
      processor: microseconds(process.cpuUsage(processor)) / count,
    };
  }

  close(): void {
    this.#database.close();
  }

  #prepare(): (batch: number) => void {
    const { intent, verdict, value } = this.#sample;
    const sql = (text: string): Database.Statement => this.#database.prepare(text);
    const toLog = (name: string) =>
      sql(`INSERT INTO "log_${name}_0" (offset, time, value, headers) VALUES (?, ?, ?, NULL)`);
    const [intents, verdicts] = [toLog("intents"), toLog("verdicts")];
    const version = sql("INSERT INTO view_versions (place, version, key, value) VALUES (?, ?, ?, ?)");
    const latest = sql("INSERT OR REPLACE INTO view_latest (key, version, place, live) VALUES (?, ?, ?, 1)");
    const row = sql(`INSERT INTO view_intents
      (place, time, writes, claims, kind, code, reason, first, id, agent, digest, conflicts, result)
      VALUES (?, ?, ?, 1, 'committed', NULL, NULL, NULL, ?, 'bench', ?, NULL, NULL)`);
    const position = sql(`INSERT OR REPLACE INTO view_positions
      (partition, offset, chain, digest, time, next, seen, skipped, writes) VALUES (0, ?, ?, ?, ?, ?, ?, 0, ?)`);
    const tally = sql("UPDATE view_tallies SET count = count + ? WHERE partition = 0 AND name = 'committed'");
    const digest = bufferOf(sha256(intent));
    return (batch) => {
      const now = Date.now();
      for (let index = 0; index < batch; index += 1) {
        const key = Buffer.from(keyOf(anyKey()));
        this.#offset += 1;
        this.#writes += 1;
        intents.run(this.#offset, now, intent);
        verdicts.run(this.#offset, now, verdict);
        version.run(this.#writes, this.#offset, key, value);
        latest.run(key, this.#offset, this.#writes);
        row.run(this.#offset, now, this.#writes, crypto.randomUUID(), digest);
      }
      position.run(this.#offset, digest, digest, now, this.#offset, this.#offset, this.#writes);
      tally.run(batch);
    };
  }
}
