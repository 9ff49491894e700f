import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Log } from "../core/logs.ts";
import { holdsInTime } from "../core/seeded.ts";
import { logs, storedOf } from "./sound-logs.ts";
import { audited, exported, storedSource, transactionsOf } from "./stored-space.ts";

const file = "test/checker/sound-logs.property.test.ts";
const runs = 200;

function soundLogs(check: (log: Log) => Promise<void>): Promise<void> {
  return holdsInTime(file, fc.asyncProperty(logs, check), runs);
}

describe("logs as they should be", () => {
  test("nothing is objected to, and every verdict is derived to the byte", async () => {
    await soundLogs(async (log) => {
      const source = storedSource(storedOf(log), { partition: log.partition });
      const history = await audited(source, { decisions: true });
      expect(history.objections.kept.map(({ message }) => message)).toEqual([]);
      const [reading] = history.partitions.values();
      expect(reading?.decisions?.counts).toEqual({ derived: log.records.length, passed: 0 });
      expect(reading?.audit.counts).toMatchObject({ records: log.records.length, undecided: 0 });
    });
  });

  test("an export is the log once more", async () => {
    await soundLogs(async (log) => {
      const source = storedSource(storedOf(log), { partition: log.partition });
      const copy = await exported(source);
      const history = await audited(copy, { decisions: true });
      expect(history.objections.kept.map(({ message }) => message)).toEqual([]);
      const [reading] = history.partitions.values();
      expect(reading?.decisions?.counts).toEqual({ derived: log.records.length, passed: 0 });
      expect(plain(await transactionsOf(copy))).toEqual(plain(await transactionsOf(source)));
      await copy.close();
    });
  });

  test("the outcomes that the intents alone make are those of the verdicts", async () => {
    await soundLogs(async (log) => {
      const { intents, verdicts } = storedOf(log);
      const { partition } = log;
      const derived = await transactionsOf(storedSource({ intents }, { partition }));
      expect(plain(derived)).toEqual(plain(await transactionsOf(storedSource({ intents, verdicts }, { partition }))));
    });
  });

  test("a slice is sound too", async () => {
    const property = fc.asyncProperty(logs, fc.nat(40), fc.nat(40), async (log, from, length) => {
      const slice = { partition: log.partition, from, to: from + length };
      const history = await audited(storedSource(storedOf(log), slice), { decisions: true });
      expect(history.objections.kept.map(({ message }) => message)).toEqual([]);
    });
    await holdsInTime(file, property, runs);
  });

  test("verdicts alone are audited", async () => {
    await soundLogs(async (log) => {
      const { verdicts } = storedOf(log);
      const history = await audited(storedSource({ verdicts }, { partition: log.partition }));
      expect(history.objections.kept.map(({ message }) => message)).toEqual([]);
      const [reading] = history.partitions.values();
      expect(reading?.audit.counts.verdicts).toBe(log.records.length);
    });
  });
});

/** Bytes may be of one class or another. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
