import * as fc from "fast-check";
import { judge } from "@seriatim/checker";
import { encodeGenesis, leastVerdictBytes, type Genesis, type Submit } from "@seriatim/protocol";
import { describe, expect, test } from "vitest";
import type { Log } from "../core/logs.ts";
import { genesisOf, Partition, point, submit, write } from "../core/partition.ts";
import { holdsInTime } from "../core/seeded.ts";
import { healed, logs, storedOf } from "./sound-logs.ts";
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

  test("of a slice without verdicts, all is undecided", async () => {
    const property = fc.asyncProperty(logs, fc.integer({ min: 1, max: 40 }), async (log, from) => {
      const { intents } = storedOf(log);
      const source = storedSource({ intents }, { partition: log.partition, from });
      const [reading] = (await audited(source)).partitions.values();
      const records = intents.filter(({ offset }) => offset >= from);
      expect(reading?.audit).toMatchObject({
        counts: { records: records.length, undecided: records.length },
        undecidedFrom: records[0]?.offset,
        last: records.at(-1)?.offset,
      });
      expect(await transactionsOf(source)).toEqual([]);
    });
    await holdsInTime(file, property, runs);
  });

  test("a slice is sound too", async () => {
    const property = fc.asyncProperty(logs, fc.nat(40), fc.nat(40), async (log, from, length) => {
      const slice = { partition: log.partition, from, to: from + length };
      const history = await audited(storedSource(storedOf(log), slice), { decisions: true });
      expect(history.objections.kept.map(({ message }) => message)).toEqual([]);
    });
    await holdsInTime(file, property, runs);
  });

  test("so is one that begins where verdicts were lost, others came early, and all were sent again", async () => {
    const places = fc.record({ from: fc.nat(40), length: fc.nat(40), lost: fc.nat(20), early: fc.nat(8) });
    const property = fc.asyncProperty(logs, places, async (log, { from, length, lost, early }) => {
      const stored = storedOf(log);
      const slice = { partition: log.partition, from, to: from + length };
      const source = storedSource(healed(stored, from - (lost % 4), lost, early), slice);
      const history = await audited(source, { decisions: true });
      expect(history.objections.kept.map(({ message }) => message)).toEqual([]);
      const [reading] = history.partitions.values();
      expect(reading?.audit.counts.undecided).toBe(0);
      const plainOnes = await transactionsOf(storedSource(stored, slice));
      expect(plain(await transactionsOf(source))).toEqual(plain(plainOnes));
    });
    await holdsInTime(file, property, runs);
  });

  test("verdicts that were sent again hide no cycle", async () => {
    const log = lostUpdate();
    for (let offset = 1; offset <= 3; offset += 1)
      for (let lost = 1; lost <= 3; lost += 1)
        for (let early = 1; early <= 9; early += 1) {
          const history = await audited(storedSource(healed(storedOf(log), offset, lost, early)));
          const { findings, counts } = await judge(history);
          expect(history.objections.kept).toEqual([]);
          expect({ answer: findings.serializable?.answer, lost: counts.lost_update, thin: counts.thin_air }).toEqual({
            answer: "violated",
            lost: 1,
            thin: 0,
          });
        }
  });

  test("a slice of verdicts alone is sound too", async () => {
    const property = fc.asyncProperty(logs, fc.nat(40), fc.nat(40), async (log, from, length) => {
      const { verdicts } = storedOf(log);
      const slice = { partition: log.partition, from, to: from + length };
      const history = await audited(storedSource({ verdicts }, slice));
      expect(history.objections.kept.map(({ message }) => message)).toEqual([]);
    });
    await holdsInTime(file, property, runs);
  });

  test("a slice may begin with what is just too large, or just not", async () => {
    const small = { keyBytes: 12, nameBytes: 16, conflicts: 3, effectBytes: 300 };
    const limits = { ...small, verdictBytes: leastVerdictBytes(small), resultBytes: 1_000, recordBytes: 4_000 };
    const outcomes = new Set<string>();
    for (let bytes = limits.verdictBytes - 260; bytes < limits.verdictBytes; bytes += 1) {
      const log = endingWith(genesisOf(1, limits), submit({ id: "last", snapshot: 99, result: Buffer.alloc(bytes) }));
      const history = await audited(storedSource(storedOf(log), { partition: 0, from: 100 }), { decisions: true });
      expect(history.objections.kept).toEqual([]);
      outcomes.add(JSON.stringify([...history.partitions.values()][0]?.decisions?.counts));
    }
    expect(outcomes).toEqual(new Set(['{"derived":1,"passed":0}']));
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

/** Two read what the first wrote and overwrite it, unchecked; others follow, which have nothing to do with it. */
function lostUpdate(): Log {
  const genesis = genesisOf(1, {});
  const { codec } = new Partition(genesis).rules;
  const update = { isolation: "none", snapshot: 1, points: [point("a/x", 1)], writes: [write("a/x")] } as const;
  const others = Array.from({ length: 12 }, (_, at) => submit({ id: `other-${at}`, snapshot: 3 + at }));
  const intents = [
    submit({ id: "begin", writes: [write("a/x")] }),
    submit({ id: "first", ...update }),
    submit({ id: "second", ...update }),
    ...others,
  ];
  const bytes = [encodeGenesis(genesis), ...intents.map((intent) => codec.encodeIntent(intent))];
  return { genesis, partition: 0, records: bytes.map((each, offset) => ({ offset, appendTime: 1, bytes: each })) };
}

/** A log of a hundred records, and one more. */
function endingWith(genesis: Genesis, last: Submit): Log {
  const { codec } = new Partition(genesis).rules;
  const fillers = Array.from({ length: 99 }, (_, at) => submit({ id: `${at}`, snapshot: at }));
  const bytes = [encodeGenesis(genesis), ...[...fillers, last].map((intent) => codec.encodeIntent(intent))];
  return { genesis, partition: 0, records: bytes.map((each, offset) => ({ offset, appendTime: 1, bytes: each })) };
}

/** Bytes may be of one class or another. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
