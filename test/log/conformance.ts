import { isFailure } from "@seriatim/protocol";
import type { Batch, Log, LogRecord, NewRecord } from "@seriatim/log";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

/** The adapters there are. One that is not listed is a slip of the pen, which must not pass by testing nothing. */
const adapters = ["sqlite", "simulated", "simulated with delays and holes", "kafka"];

/** A fresh, empty log of at least three partitions. */
export interface OpenedLog {
  readonly log: Log;
  /** Closes the log and opens it again, as another process would. */
  readonly reopen: () => Promise<Log>;
  /** Closes whatever was opened and removes what it left. */
  readonly dispose: () => Promise<void>;
}

type Case = (opened: OpenedLog) => Promise<void>;

/** Runs every case of the port on one adapter. `skips`: title of a case to the reason why this adapter skips it. */
export function describeLog(
  name: string,
  open: () => Promise<OpenedLog>,
  skips: Readonly<Record<string, string>> = {},
): void {
  if (!adapters.includes(name))
    throw new Error(`there is no log adapter ${name}; the adapters are ${adapters.join(", ")}`);
  for (const title of Object.keys(skips)) {
    if (!cases.has(title)) throw new Error(`there is no case "${title}" that ${name} could skip`);
  }
  describe(`the Log port on ${name}`, { timeout: 30_000 }, () => {
    let opened: OpenedLog | undefined;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(async () => {
      await opened?.dispose();
      opened = undefined;
    });
    for (const [title, run] of cases) {
      test(title, async ({ skip }) => {
        const reason = skips[title];
        if (reason !== undefined) skip(reason);
        if (opened === undefined) throw new Error("the log was not opened");
        await run(opened);
      });
    }
  });
}

const cases = new Map<string, Case>([
  [
    "an empty log has empty bounds",
    async ({ log }) => {
      expect(log.partitions).toBeGreaterThanOrEqual(3);
      expect(await log.bounds(0)).toEqual({ start: 0, end: 0 });
    },
  ],
  [
    "append resolves with the offset of the first record, and the records follow in order",
    async ({ log }) => {
      const first = await log.append(0, texts("a", "b"));
      const second = await log.append(0, texts("c"));
      const records = await take(log, 0, 0, 3);
      expect(records.map(text)).toEqual(["a", "b", "c"]);
      expect(first).toBe(records[0]?.offset);
      expect(second).toBe(records[2]?.offset);
      expectRising(records);
      const bounds = await log.bounds(0);
      expect(bounds.start).toBeLessThanOrEqual(first);
      expect(bounds.end).toBeGreaterThan(second);
    },
  ],
  [
    "concurrent appends each keep their order",
    async ({ log }) => {
      const calls = Array.from({ length: 20 }, (_, call) => [`${call}.0`, `${call}.1`, `${call}.2`]);
      const bases = await Promise.all(calls.map((values) => log.append(0, texts(...values))));
      const records = await take(log, 0, 0, 60);
      expectRising(records);
      expect(new Set(records.map(text)).size).toBe(60);
      for (const [call, values] of calls.entries()) {
        expect(records.filter((record) => values.includes(text(record))).map(text)).toEqual(values);
        expect(records.find(({ offset }) => offset === bases[call])).toSatisfy(
          (record: LogRecord) => text(record) === values[0],
        );
      }
    },
  ],
  [
    "a reading starts in the middle when told so",
    async ({ log }) => {
      await log.append(0, texts("a", "b"));
      const from = await log.append(0, texts("c", "d"));
      expect((await take(log, 0, from, 2)).map(text)).toEqual(["c", "d"]);
    },
  ],
  [
    "a reading from the end waits for what is appended later",
    async ({ log }) => {
      await log.append(0, texts("a"));
      const reading = begin(log, [[0, (await log.bounds(0)).end]]);
      const next = reading.next();
      await log.append(0, texts("b"));
      expect((await next).map(text)).toEqual(["b"]);
      const later = reading.next();
      await log.append(0, texts("c"));
      expect((await later).map(text)).toEqual(["c"]);
      await reading.end();
    },
  ],
  [
    "a reading may begin before there is anything to read",
    async ({ log }) => {
      const reading = begin(log, [[0, 0]]);
      const next = reading.next();
      await log.append(0, texts("a"));
      expect((await next).map(text)).toEqual(["a"]);
      await reading.end();
    },
  ],
  [
    "partitions are apart from each other, and one reading follows several",
    async ({ log }) => {
      await log.append(0, texts("0a"));
      await log.append(2, texts("2a", "2b"));
      expect((await log.bounds(1)).end).toBe(0);
      const seen = new Map<number, string[]>([0, 1, 2].map((partition) => [partition, []]));
      const reading = begin(
        log,
        [...seen.keys()].map((partition) => [partition, 0] as const),
      );
      const until = async (count: number): Promise<void> => {
        while ([...seen.values()].flat().length < count) {
          const { partition, records } = await reading.nextBatch();
          seen.get(partition)?.push(...records.map(text));
        }
      };
      await until(3);
      await log.append(1, texts("1a"));
      await log.append(0, texts("0b"));
      await until(5);
      expect([...seen.values()]).toEqual([["0a", "0b"], ["1a"], ["2a", "2b"]]);
      await reading.end();
    },
  ],
  [
    "a reading brings only the partitions named",
    async ({ log }) => {
      await log.append(0, texts("0a"));
      await log.append(1, texts("1a"));
      const reading = begin(log, [[1, 0]]);
      expect((await reading.nextBatch()).partition).toBe(1);
      await reading.end();
    },
  ],
  [
    "two readings are independent",
    async ({ log }) => {
      await log.append(0, texts("a", "b", "c"));
      const one = begin(log, [[0, 0]]);
      const seen = (await one.next()).map(text);
      expect((await take(log, 0, 0, 3)).map(text)).toEqual(["a", "b", "c"]);
      while (seen.length < 3) seen.push(...(await one.next()).map(text));
      expect(seen).toEqual(["a", "b", "c"]);
      await one.end();
    },
  ],
  [
    "a slow reader gets everything once, in order",
    async ({ log }) => {
      const values = Array.from({ length: 2500 }, (_, index) => `${index}`);
      await log.append(0, texts(...values.slice(0, 1200)));
      const reading = begin(log, [[0, 0]]);
      const seen = (await reading.next()).map(text);
      // The reading stands still here: what is appended now must neither get lost nor be pushed at it.
      await log.append(0, texts(...values.slice(1200)));
      while (seen.length < values.length) seen.push(...(await reading.next()).map(text));
      expect(seen).toEqual(values);
      await reading.end();
    },
  ],
  [
    "a signal ends a reading that waits, quietly",
    async ({ log }) => {
      const reading = begin(log, [[0, 0]]);
      const next = reading.result();
      reading.abort();
      expect((await next).done).toBe(true);
    },
  ],
  [
    "a signal ends a reading whose batch was just taken",
    async ({ log }) => {
      await log.append(0, texts("a", "b"));
      const reading = begin(log, [[0, 0]]);
      await reading.next();
      reading.abort();
      expect((await reading.result()).done).toBe(true);
    },
  ],
  [
    "a signal that has fired keeps a reading from beginning",
    async ({ log }) => {
      await log.append(0, texts("a"));
      const reading = begin(log, [[0, 0]]);
      reading.abort();
      expect((await reading.result()).done).toBe(true);
    },
  ],
  [
    "an append whose signal has fired is not made",
    async ({ log }) => {
      await expectFailure(log.append(0, texts("a"), { signal: AbortSignal.abort() }), "aborted");
      expect(await log.bounds(0)).toEqual({ start: 0, end: 0 });
    },
  ],
  [
    "every record has the time of its append",
    async ({ log }) => {
      await log.append(0, texts("a", "b"));
      for (const { time } of await take(log, 0, 0, 2)) {
        expect(time).toSatisfy(Number.isSafeInteger);
        expect(time).toBeGreaterThan(Date.UTC(2020, 0, 1));
      }
    },
  ],
  [
    "headers come back as given",
    async ({ log }) => {
      const headers = { sequencer: "one", note: 'ü → 界 " \\', empty: "" };
      await log.append(0, [{ value: bytes("a"), headers }, { value: bytes("b") }, { value: bytes("c"), headers: {} }]);
      const records = await take(log, 0, 0, 3);
      expect(records.map((record) => record.headers)).toEqual([headers, {}, {}]);
    },
  ],
  [
    "values come back byte for byte",
    async ({ log }) => {
      const all = Uint8Array.from({ length: 256 }, (_, index) => index);
      const large = Uint8Array.from({ length: 900 * 1024 }, (_, index) => (index * 31 + (index >>> 8)) & 0xff);
      // A part of a larger buffer: its surroundings must not come along.
      const values = [new Uint8Array(0), all, all.subarray(10, 20), large, bytes("after")];
      for (const value of values) await log.append(0, [{ value }]);
      const records = await take(log, 0, 0, values.length);
      for (const [index, value] of values.entries()) {
        expect(Buffer.compare(records[index]?.value ?? bytes("missing"), value)).toBe(0);
      }
    },
  ],
  [
    "a reading from above the end finds that the log changed",
    async ({ log }) => {
      await log.append(0, texts("a"));
      const { end } = await log.bounds(0);
      await expectFailure(begin(log, [[0, end + 1]]).result(), "log_changed");
    },
  ],
  [
    "a partition that the log does not have is named",
    async ({ log }) => {
      const none = log.partitions;
      await expectFailure(log.append(none, texts("a")), "invalid_argument");
      await expectFailure(log.bounds(none), "invalid_argument");
      await expectFailure(begin(log, [[none, 0]]).result(), "invalid_argument");
    },
  ],
  [
    "closing the log ends its readings, quietly",
    async ({ log }) => {
      await log.append(0, texts("a"));
      const reading = begin(log, [[0, 0]]);
      await reading.next();
      const waiting = reading.result();
      await log.close();
      expect((await waiting).done).toBe(true);
    },
  ],
  [
    "a closed log takes no append",
    async ({ log }) => {
      await log.close();
      await log.close();
      await expectFailure(log.append(0, texts("a")), "closed");
    },
  ],
  [
    "a log opened again holds what was appended, and goes on",
    async ({ log, reopen }) => {
      await log.append(0, texts("a", "b"));
      const before = await take(log, 0, 0, 2);
      const again = await reopen();
      expect(again.partitions).toBe(log.partitions);
      const offset = await again.append(0, texts("c"));
      const records = await take(again, 0, 0, 3);
      expect(records.map(text)).toEqual(["a", "b", "c"]);
      expect(records.slice(0, 2).map(position)).toEqual(before.map(position));
      expect(offset).toBe(records[2]?.offset);
    },
  ],
]);

interface Reading {
  result(): Promise<IteratorResult<Batch>>;
  nextBatch(): Promise<Batch>;
  /** The records of the next batch. */
  next(): Promise<readonly LogRecord[]>;
  abort(): void;
  /** Ends the reading and checks that it ends quietly. */
  end(): Promise<void>;
}

function begin(log: Log, from: readonly (readonly [number, number])[]): Reading {
  const controller = new AbortController();
  const iterator = log.read(new Map(from), { signal: controller.signal })[Symbol.asyncIterator]();
  const result = (): Promise<IteratorResult<Batch>> => iterator.next();
  const nextBatch = async (): Promise<Batch> => {
    const { done, value } = await result();
    if (done === true) throw new Error("the reading ended early");
    expect(value.records.length).toBeGreaterThan(0);
    return value;
  };
  return {
    result,
    nextBatch,
    next: async () => (await nextBatch()).records,
    abort: () => controller.abort(),
    end: async () => {
      controller.abort();
      expect((await result()).done).toBe(true);
    },
  };
}

/** Reads one partition from an offset until `count` records came. */
async function take(log: Log, partition: number, from: number, count: number): Promise<LogRecord[]> {
  const reading = begin(log, [[partition, from]]);
  const records: LogRecord[] = [];
  while (records.length < count) records.push(...(await reading.next()));
  await reading.end();
  return records;
}

async function expectFailure(call: Promise<unknown>, code: Parameters<typeof isFailure>[1]): Promise<void> {
  await expect(call).rejects.toSatisfy((error) => isFailure(error, code), `a failure ${code}`);
}

function expectRising(records: readonly LogRecord[]): void {
  const offsets = records.map(({ offset }) => offset);
  expect(offsets).toEqual([...new Set(offsets)].toSorted((one, other) => one - other));
}

function texts(...values: readonly string[]): NewRecord[] {
  return values.map((value) => ({ value: bytes(value) }));
}

function bytes(value: string): Uint8Array {
  return new TextEncoder().encode(value);
}

function text({ value }: LogRecord): string {
  return new TextDecoder().decode(value);
}

function position({ offset, time }: LogRecord): object {
  return { offset, time };
}
