import { createGenesis, type Verdict } from "@seriatim/protocol";
import { follow, newest, type Advance, type Alarm, type Following } from "@seriatim/view";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { bytesOfVerdict, Chain, foldInto, key, openView, read, temporaryPath, type Opened } from "./fixture.ts";
import { MemoryLog } from "./memory-log.ts";

interface Followed {
  readonly following: Following;
  readonly advances: Advance[];
  readonly alarms: Alarm[];
  /** Ends the follower and waits for its end. */
  stop(): Promise<void>;
  /** Resolves when an alarm of this kind was raised last. */
  readonly alarmed: (kind: Alarm["kind"]) => Promise<void>;
}

function start(opened: Opened, log: MemoryLog, chain: Chain): Followed {
  const controller = new AbortController();
  const advances: Advance[] = [];
  const alarms: Alarm[] = [];
  let told: (() => void) | undefined;
  const following = follow({
    ...opened,
    log,
    codec: chain.codec,
    partitions: [chain.partition],
    signal: controller.signal,
    onAdvance: (advance) => advances.push(advance),
    onAlarm: (alarm) => {
      alarms.push(alarm);
      told?.();
    },
  });
  const stop = async (): Promise<void> => {
    controller.abort();
    await following.ended;
  };
  onTestFinished(async () => stop().catch(() => undefined));
  const alarmed = async (kind: Alarm["kind"]): Promise<void> => {
    while (alarms.at(-1)?.kind !== kind) await new Promise<void>((resolve) => (told = resolve));
  };
  return { following, advances, alarms, stop, alarmed };
}

function fixture(count: number): { chain: Chain; verdicts: Verdict[]; records: Uint8Array[] } {
  const chain = new Chain();
  const verdicts = chain.run(...Array.from({ length: count }, (_, index) => ({ "a/x": String(index) })));
  return { chain, verdicts, records: verdicts.map((verdict) => bytesOfVerdict(chain, verdict)) };
}

/** Lets all that is due be done. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

const torn = (record: Uint8Array | undefined): Uint8Array => Buffer.from(record ?? []).subarray(0, -1);

describe("follow", () => {
  it("folds what is there and what comes, and tells of each advance", async () => {
    const opened = await openView();
    const { chain, records } = fixture(700);
    const log = new MemoryLog("verdicts", { batch: 600 });
    log.push(...records.slice(0, 600));
    const { advances, alarms, following } = start(opened, log, chain);
    await following.caughtUp;
    expect(opened.view.position(0)).toMatchObject({ offset: 599, next: 600 });
    log.push(...records.slice(600));
    await log.drained();
    expect(opened.view.position(0)).toMatchObject({ ...chain.head, next: 701 });
    expect(advances[0]).toMatchObject({ partition: 0, from: -1 });
    for (const [index, { from }] of advances.entries()) expect(from).toBe(advances[index - 1]?.to ?? -1);
    expect(advances.at(-1)?.to).toBe(700);
    expect(alarms).toEqual([]);
    expect(following.counts(0)).toEqual({ repeats: 0, gaps: 0, foreign: 0, unreadable: 0 });
  });

  it("goes on where the view stands", async () => {
    const opened = await openView();
    const { chain, verdicts, records } = fixture(5);
    await foldInto(opened, read(verdicts.slice(0, 3)));
    const log = new MemoryLog("verdicts");
    log.push(...records);
    const { advances, following } = start(opened, log, chain);
    await log.drained();
    expect(following.counts(0)).toMatchObject({ repeats: 0 });
    expect(advances).toEqual([{ partition: 0, from: 2, to: 5 }]);
  });

  it("alarms at the end of a lossy log without a successor, and recovers when it is sent again (case 33, invariant 3)", async () => {
    const opened = await openView();
    const { chain, verdicts, records } = fixture(4);
    const log = new MemoryLog("verdicts");
    log.push(...records.slice(0, 2), ...records.slice(3));
    const { alarms, following, alarmed } = start(opened, log, chain);
    await alarmed("stalled");
    const [, one] = verdicts;
    const head = { offset: 1, chain: one?.chain };
    expect(alarms).toEqual([{ kind: "stalled", partition: 0, head, end: 4, seen: 4, skipped: 2 }]);
    expect(following.counts(0)).toMatchObject({ gaps: 2 });
    expect(opened.view.position(0)).toMatchObject({ offset: 1, next: 4 });

    log.push(...records.slice(2));
    await alarmed("recovered");
    await log.drained();
    expect(opened.view.position(0)).toMatchObject({ ...chain.head, skipped: 0 });
    expect(alarms).toHaveLength(2);
  });

  it("alarms again when only a part was healed", async () => {
    const opened = await openView();
    const { chain, records } = fixture(4);
    const log = new MemoryLog("verdicts");
    log.push(...records.slice(0, 2), ...records.slice(4));
    const { alarms, alarmed } = start(opened, log, chain);
    await alarmed("stalled");
    log.push(...records.slice(2, 3));
    await log.drained();
    expect(alarms.map(({ kind }) => kind)).toEqual(["stalled", "recovered", "stalled"]);
    expect(alarms.at(-1)).toMatchObject({ head: { offset: 2 }, seen: 4, skipped: 0 });
  });

  it("alarms for a torn record that nothing follows, also after it was opened again", async () => {
    const opened = await openView();
    const { chain, records } = fixture(2);
    const log = new MemoryLog("verdicts");
    log.push(...records.slice(0, 2), torn(records[2]));
    const first = start(opened, log, chain);
    await first.alarmed("stalled");
    expect(first.following.counts(0)).toMatchObject({ unreadable: 1 });
    await first.stop();
    const second = start(opened, log, chain);
    await second.alarmed("stalled");
    expect(second.alarms).toMatchObject([{ head: { offset: 1 }, seen: 1, skipped: 1 }]);
  });

  it("takes a hole at the log's end for its end when nothing comes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const opened = await openView();
    const { chain, records } = fixture(3);
    const log = new MemoryLog("verdicts");
    log.bounds = async () => ({ start: 0, end: 9 });
    log.push(...records.slice(0, 2), ...records.slice(3));
    const { alarms, following } = start(opened, log, chain);
    await log.drained();
    expect(alarms).toEqual([]);
    vi.runAllTimers();
    await following.caughtUp;
    expect(alarms).toMatchObject([{ kind: "stalled", head: { offset: 1 }, end: 9 }]);
  });

  it("has not caught up with a partition that has to wait for another one", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const opened = await openView();
    const genesis = createGenesis({ partitions: 2 });
    const [long, short] = [new Chain({ genesis }), new Chain({ genesis, partition: 1 })];
    const batches = [...long.run({ "a/x": "1" }, { "a/x": "2" }), short.found()].map((verdict) => ({
      partition: verdict.partition,
      records: [{ offset: verdict.offset, time: 0, value: bytesOfVerdict(long, verdict), headers: {} }],
    }));
    const log = new MemoryLog("verdicts", { partitions: 2 });
    log.bounds = async (partition) => ({ start: 0, end: partition === 0 ? 3 : 1 });
    log.read = async function* () {
      for (const batch of batches) {
        // Each comes in time, and all of them together do not.
        vi.advanceTimersByTime(3_000);
        await turns();
        events.push(`${batch.partition}@${batch.records[0]?.offset}`);
        yield batch;
      }
    };
    const events: string[] = [];
    const { signal } = new AbortController();
    const quietly = { onAdvance: () => undefined, onAlarm: () => undefined };
    const following = follow({ ...opened, log, codec: long.codec, partitions: [0, 1], signal, ...quietly });
    void following.caughtUp.then(() => events.push("caught up"));
    await following.ended;
    expect(events).toEqual(["0@0", "0@1", "0@2", "1@0", "caught up"]);
  });

  it("does not alarm while more is to be read", async () => {
    const opened = await openView();
    const { chain, records } = fixture(3);
    const log = new MemoryLog("verdicts", { batch: 1 });
    log.push(...records.slice(0, 1), torn(records[1]), ...records.slice(2), ...records.slice(1));
    const { alarms, following } = start(opened, log, chain);
    await log.drained();
    expect(alarms).toEqual([]);
    expect(following.counts(0)).toEqual({ repeats: 0, gaps: 2, foreign: 0, unreadable: 1 });
    expect(opened.view.position(0)).toMatchObject(chain.head);
  });

  it("tells of what another process folded, and leaves the write lock to it", async () => {
    const path = temporaryPath();
    const opened = await openView(path);
    const other = await openView(path);
    const { chain, verdicts, records } = fixture(20);
    const log = new MemoryLog("verdicts");
    const { advances, following } = start(opened, log, chain);
    await log.drained();
    await foldInto(other, read(verdicts));
    let written = 0;
    const write = opened.file.transaction.bind(opened.file);
    opened.file.transaction = async (...args) => {
      written += 1;
      return write(...args);
    };
    log.push(...records);
    await log.drained();
    expect(advances).toEqual([{ partition: 0, from: -1, to: 20 }]);
    expect(following.counts(0)).toMatchObject({ repeats: 21 });
    expect(written).toBe(0);
  });

  it("tells of another process's advance before it has read the records itself", async () => {
    const path = temporaryPath();
    const opened = await openView(path);
    const other = await openView(path);
    const { chain, verdicts } = fixture(3);
    const log = new MemoryLog("verdicts");
    const { advances } = start(opened, log, chain);
    const told = new Promise<void>((resolve) => opened.file.subscribe(resolve));
    await foldInto(other, read(verdicts));
    await told;
    expect(advances).toEqual([{ partition: 0, from: -1, to: 3 }]);
  });

  it("recovers when another process folds what it lacks", async () => {
    const path = temporaryPath();
    const opened = await openView(path);
    const other = await openView(path);
    const { chain, verdicts, records } = fixture(3);
    const log = new MemoryLog("verdicts");
    log.push(...records.slice(0, 2), ...records.slice(3));
    const { alarmed } = start(opened, log, chain);
    await alarmed("stalled");
    await foldInto(other, read(verdicts.slice(2), 3));
    await alarmed("recovered");
  });

  it("stores its place now and then though another process folds everything", async () => {
    const opened = await openView();
    const { chain, verdicts, records } = fixture(3);
    const repeats = Array.from({ length: 400 }, () => records).flat();
    await foldInto(opened, read(verdicts));
    const log = new MemoryLog("verdicts");
    log.push(...records, ...repeats);
    start(opened, log, chain);
    await log.drained();
    expect(opened.view.position(0).next).toBeGreaterThan(1000);
    expect(opened.view.get(key("a/x"), newest)).toMatchObject({ version: 3 });
  });

  it("two on one file fold everything once", async () => {
    const path = temporaryPath();
    const { chain, records } = fixture(500);
    const log = new MemoryLog("verdicts", { batch: 7 });
    log.push(...records);
    const twin = new MemoryLog("verdicts", { batch: 7 });
    twin.push(...records);
    const views = [await openView(path), await openView(path)] as const;
    start(views[0], log, chain);
    start(views[1], twin, chain);
    await Promise.all([log.drained(), twin.drained()]);
    expect(views[0].view.position(0)).toMatchObject({ ...chain.head, skipped: 0 });
    expect(views[0].view.statistics(0).commits).toBe(500);
  });

  it("folds much at once while it is far behind, and each batch as it comes when it is not", async () => {
    const opened = await openView();
    const { chain, records } = fixture(2000);
    const log = new MemoryLog("verdicts", { batch: 300 });
    log.push(...records.slice(0, 1990));
    const write = vi.spyOn(opened.file, "transaction");
    const { following } = start(opened, log, chain);
    await following.caughtUp;
    expect(write).toHaveBeenCalledTimes(1);
    for (const record of records.slice(1990)) {
      log.push(record);
      await log.drained();
    }
    expect(write).toHaveBeenCalledTimes(12);
    expect(opened.view.position(0)).toMatchObject(chain.head);
  });

  it("folds still more at once until it has caught up from far behind, and then goes on as ever", async () => {
    const opened = await openView();
    const { database } = opened.file;
    const settings = (): unknown[] =>
      ["cache_size", "wal_autocheckpoint"].map((name) => database.prepare(`PRAGMA ${name}`).pluck().get());
    const before = settings();
    const { chain, records } = fixture(20_000);
    const log = new MemoryLog("verdicts", { batch: 1000 });
    log.push(...records);
    const write = vi.spyOn(opened.file, "transaction");
    const during = new Set<string>();
    const unsubscribe = opened.file.subscribe(() => during.add(String(settings())));
    const { following } = start(opened, log, chain);
    await following.caughtUp;
    await log.drained();
    expect(write.mock.calls.length).toBeLessThan(8);
    expect(opened.view.position(0)).toMatchObject(chain.head);
    expect(during.size).toBe(2);
    expect(settings()).toEqual(before);
    unsubscribe();
  });

  it("ends with the failure of a fold, also while it waits for more", async () => {
    const opened = await openView();
    const { chain, records } = fixture(400);
    const log = new MemoryLog("verdicts", { batch: 300 });
    log.push(...records.slice(0, 300));
    vi.spyOn(opened.file, "transaction").mockRejectedValue(new Error("no disk"));
    const { following } = start(opened, log, chain);
    await expect(following.ended).rejects.toThrow("no disk");
  });

  it("ends with the failure of its log", async () => {
    const opened = await openView();
    const { chain } = fixture(1);
    const log = new MemoryLog("verdicts");
    log.read = () => {
      throw new Error("no log");
    };
    const following = follow({
      ...opened,
      log,
      codec: chain.codec,
      partitions: [0],
      signal: new AbortController().signal,
      onAdvance: () => undefined,
      onAlarm: () => undefined,
    });
    await expect(following.ended).rejects.toThrow("no log");
  });
});
