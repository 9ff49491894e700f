import { type Fault, faultNames, type FaultRates, Random, SimulatedLog, VirtualClock } from "@seriatim/log";
import { isFailure } from "@seriatim/protocol";
import { describe, expect, test } from "vitest";
import { describeLog, type OpenedLog } from "./conformance.ts";

function openSimulated(rates: FaultRates) {
  return async (): Promise<OpenedLog> => {
    let log = new SimulatedLog({ seed: 1, partitions: 3, rates });
    return {
      log,
      reopen: async () => {
        await log.close();
        log = log.reopen();
        return log;
      },
      dispose: () => log.close(),
    };
  };
}

describeLog("simulated", openSimulated({}));

// Faults that a log may have and still be one.
describeLog(
  "simulated with delays and holes",
  openSimulated({ delayAppend: 0.5, delayRead: 0.5, splitRead: 0.5, hole: 0.5, stepBack: 0.2 }),
);

const everyFault = Object.fromEntries(faultNames.map((fault) => [fault, 0.2]));

/** What a run of `seed` does and leaves behind: three writers and a reader that starts over when the log changed. */
async function run(seed: number): Promise<{ readonly trace: string; readonly fired: Readonly<Record<Fault, number>> }> {
  const trace: string[] = [];
  const log = new SimulatedLog({ seed, rates: everyFault });
  const controller = new AbortController();
  const reader = async (): Promise<void> => {
    while (!controller.signal.aborted) {
      try {
        for await (const { records } of log.read(new Map([[0, 0]]), { signal: controller.signal })) {
          trace.push(
            ...records.map(({ offset, time, value }) => `${offset}@${time}=${new TextDecoder().decode(value)}`),
          );
        }
      } catch (error) {
        trace.push(isFailure(error) ? error.code : String(error));
        await log.clock.sleep(7);
      }
    }
  };
  const writer = async (name: string): Promise<void> => {
    for (let call = 0; call < 15; call++) {
      const records = [0, 1, 2].map((index) => ({ value: new TextEncoder().encode(`${name}${call}.${index}`) }));
      trace.push(await log.append(0, records).then(String, (error: Error) => `${name}${call} ${error.message}`));
      await log.clock.sleep(3);
    }
  };
  const reading = reader();
  await Promise.all(["a", "b", "c"].map(writer));
  controller.abort();
  await reading;
  return { trace: trace.join("\n"), fired: log.faults.fired };
}

describe("the simulated log", () => {
  test("the same seed gives the same run, another seed another", async () => {
    const first = await run(7);
    expect((await run(7)).trace).toBe(first.trace);
    expect((await run(8)).trace).not.toBe(first.trace);
  });

  test("every fault fires", async () => {
    const { fired } = await run(3);
    expect(faultNames.filter((fault) => fired[fault] === 0)).toEqual([]);
  });

  test.each<[Fault, string[], string | number]>([
    ["repeat", ["a", "a"], 0],
    ["cut", [], "unknown_outcome"],
    ["unknown", ["a"], "unknown_outcome"],
    ["unavailable", [], "unavailable"],
  ])("an injected %s fires once", async (fault, expected, outcome) => {
    const log = new SimulatedLog({ seed: 1 });
    log.faults.inject(fault);
    expect(await append(log, "a").catch((error) => error.code)).toBe(outcome);
    expect(log.records.fetch(0, 0, 10).map(({ value }) => new TextDecoder().decode(value))).toEqual(expected);
    const end = (await log.bounds(0)).end;
    expect(await append(log, "b")).toBe(end);
    expect(log.faults.fired[fault]).toBe(1);
  });

  test("a hole raises the end, and a reader passes over it", async () => {
    const log = new SimulatedLog({ seed: 1 });
    log.faults.inject("hole");
    await append(log, "a");
    expect(await log.bounds(0)).toEqual({ start: 0, end: 2 });
    expect(await append(log, "b")).toBe(2);
    const batch = await next(log, 1);
    expect(batch.map(({ offset }) => offset)).toEqual([2]);
  });

  test("time steps back by the log's clock", async () => {
    const log = new SimulatedLog({ seed: 1 });
    await append(log, "a");
    log.faults.inject("stepBack");
    await append(log, "b");
    const [first, second] = log.records.fetch(0, 0, 2);
    expect(second?.time).toBeLessThan(first?.time ?? 0);
  });

  test.each<[string, (log: SimulatedLog) => void]>([
    ["truncated", (log) => log.records.truncate(0, 1)],
    ["recreated", (log) => log.records.recreate()],
    ["emptied past its position", (log) => log.records.skip(0, 2)],
  ])("a reader that waits finds out that the log was %s", async (_, change) => {
    const log = new SimulatedLog({ seed: 1 });
    for (const value of ["a", "b", "c"]) await append(log, value);
    const iterator = log.read(new Map([[0, 2]]), { signal: new AbortController().signal })[Symbol.asyncIterator]();
    await iterator.next();
    const waiting = iterator.next();
    change(log);
    log.records.deleteBefore(0, 5);
    await expect(waiting).rejects.toSatisfy((error) => isFailure(error, "log_changed"));
  });

  test("sleepers wake in order of their time, then of their coming", async () => {
    const clock = new VirtualClock(0);
    const woken: string[] = [];
    const sleeper = async (name: string, duration: number): Promise<void> => {
      await clock.sleep(duration);
      woken.push(`${name}@${clock.now()}`);
    };
    await Promise.all([sleeper("a", 20), sleeper("b", 10), sleeper("c", 20), sleeper("d", 5)]);
    expect(woken).toEqual(["d@5", "b@10", "a@20", "c@20"]);
  });

  test("random integers stay below their limit and reach all of it", () => {
    const random = new Random(5);
    const drawn = new Set(Array.from({ length: 500 }, () => random.below(7)));
    expect([...drawn].toSorted((one, other) => one - other)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });
});

function append(log: SimulatedLog, value: string): Promise<number> {
  return log.append(0, [{ value: new TextEncoder().encode(value) }]);
}

async function next(log: SimulatedLog, from: number): Promise<readonly { readonly offset: number }[]> {
  const signal = new AbortController().signal;
  for await (const { records } of log.read(new Map([[0, from]]), { signal })) return records;
  return [];
}
