/* Runs of one coordinator that are known to collide take turns. */
import { createCoordinator, type Coordinator, type RunResult } from "@seriatim/client";
import { VirtualClock } from "@seriatim/log";
import { expect, it } from "vitest";
import { Turns } from "../../libs/client/src/turns.ts";
import { FakeSpace, gate } from "./fake-space.ts";

const key = "counters/a";

function turns(): { clock: VirtualClock; turns: Turns } {
  const clock = new VirtualClock(0);
  return { clock, turns: new Turns(clock.now, clock.schedule) };
}

it("there is no line for what nobody was refused over", async () => {
  const { turns: subject } = turns();
  expect(subject.isContended(key)).toBe(false);
  await subject.enter(key, undefined);
  await subject.enter(key, undefined);
});

it("first come, first served", async () => {
  const { clock, turns: subject } = turns();
  subject.contend(key, 10);
  const order: string[] = [];
  const visit = async (name: string): Promise<void> => {
    const leave = await subject.enter(key, undefined);
    order.push(`${name} at ${clock.now()}`);
    await clock.sleep(10);
    leave();
  };
  await Promise.all(["a", "b", "c"].map(visit));
  expect(order).toEqual(["a at 0", "b at 10", "c at 20"]);
});

it("who takes much longer than usual is not waited for", async () => {
  const { clock, turns: subject } = turns();
  subject.contend(key, 10);
  const leave = await subject.enter(key, undefined);
  await subject.enter(key, undefined);
  expect(clock.now()).toBe(2 * 10 + 10);
  // It has lost its place, and takes nobody else's by leaving late.
  let isThird = false;
  const third = subject.enter(key, undefined).then(() => (isThird = true));
  leave();
  await Promise.resolve();
  expect(isThird).toBe(false);
  await third;
});

it("one that was left open for long makes nobody wait as long for the next", async () => {
  const { clock, turns: subject } = turns();
  subject.contend(key, 10);
  const leave = await subject.enter(key, undefined);
  await clock.sleep(900_000);
  leave();
  await subject.enter(key, undefined);
  const began = clock.now();
  await subject.enter(key, undefined);
  expect(clock.now() - began).toBeLessThan(1_000);
});

it("what turns take is learned, also where it was more than was known", async () => {
  const { clock, turns: subject } = turns();
  subject.contend(key, 10);
  for (let turn = 0; turn < 20; turn += 1) {
    const leave = await subject.enter(key, undefined);
    await clock.sleep(5_000);
    leave();
  }
  expect(subject.patience(key)).toBeGreaterThan(8_000);
});

it("a signal ends the wait, and the place is given up", async () => {
  const { clock, turns: subject } = turns();
  subject.contend(key, 1000);
  const leave = await subject.enter(key, undefined);
  const stop = new AbortController();
  const second = subject.enter(key, stop.signal);
  const third = subject.enter(key, undefined);
  stop.abort();
  (await second)();
  leave();
  await third;
  expect(clock.now()).toBe(0);
});

it("a line that is empty many times in a row is forgotten", async () => {
  const { turns: subject } = turns();
  subject.contend(key, 1);
  for (let turn = 0; turn < 32; turn += 1) (await subject.enter(key, undefined))();
  expect(subject.isContended(key)).toBe(false);
});

/** Whose patience never ends: whoever waits in vain waits for good. */
function patient(space: FakeSpace): Coordinator {
  return createCoordinator(space, { schedule: () => () => undefined });
}

/** Two runs that meet, so that the key is known to be contended for. */
async function collide(space: FakeSpace): Promise<Coordinator> {
  const coordinator = patient(space);
  const [bothRead, first] = [gate(), gate()];
  let reads = 0;
  const meet = (): void => void ((reads += 1) === 2 && bothRead.open());
  const runs = ["ada", "ben"].map((agent) =>
    coordinator.run({ agent }, async (tx) => {
      await tx.get(key);
      meet();
      await bothRead.opened;
      if (agent === "ben" && tx.attempt === 1) await first.opened;
      tx.put(key, agent);
    }),
  );
  await runs[0];
  first.open();
  expect(await runs[1]).toMatchObject({ outcome: "committed", attempts: 2 });
  return coordinator;
}

/** An agent that has read the key, and writes it once it is told to end its thinking. */
async function thinking(coordinator: Coordinator): Promise<{ end(): Promise<RunResult<void>> }> {
  const [begun, told] = [gate(), gate()];
  const run = coordinator.run({ agent: "cy" }, async (tx) => {
    await tx.get(key);
    begun.open();
    await told.opened;
    tx.put(key, "cy");
  });
  await begun.opened;
  return {
    end: () => {
      told.open();
      return run;
    },
  };
}

it("a run that reads what another is about to write waits, reads what it wrote, and commits at once", async () => {
  const space = await FakeSpace.open();
  const coordinator = await collide(space);
  const thinker = await thinking(coordinator);
  const second = coordinator.run({ agent: "di", id: "once" }, async (tx) => {
    const seen = await tx.get<string>(key);
    tx.put(key, `${seen}, di`);
    return seen;
  });
  expect(await thinker.end()).toMatchObject({ outcome: "committed", attempts: 1 });
  expect(await second).toMatchObject({ outcome: "committed", attempts: 1, value: "cy" });
});

it("what rests on the snapshot already is not made to wait, and keeps it", async () => {
  const space = await FakeSpace.open();
  const coordinator = await collide(space);
  const thinker = await thinking(coordinator);
  const seen = await coordinator.run({ agent: "di", attempts: 1 }, async (tx) => {
    await tx.get("counters/other");
    return tx.get(key);
  });
  expect(seen).toMatchObject({ outcome: "committed", value: "ben" });
  await thinker.end();
});

it("an agent that turned out to read only is not made to wait a second time", async () => {
  const space = await FakeSpace.open();
  const coordinator = await collide(space);
  const read = () => coordinator.run({ agent: "reader" }, (tx) => tx.get(key));
  await read();
  const thinker = await thinking(coordinator);
  expect(await read()).toMatchObject({ outcome: "committed", value: "ben" });
  await thinker.end();
});

it("what is only read by several is contended for by nobody", async () => {
  const space = await FakeSpace.open();
  const coordinator = patient(space);
  const [read, written] = [gate(), gate()];
  const reader = coordinator.run({ agent: "ada" }, async (tx) => {
    await tx.get(key);
    if (tx.attempt === 1) read.open();
    await written.opened;
    tx.put("counters/elsewhere", 1);
  });
  await read.opened;
  await coordinator.run({ agent: "ben" }, (tx) => tx.put(key, "ben"));
  written.open();
  expect(await reader).toMatchObject({ outcome: "committed", attempts: 2 });
  // Two readers at once, each of which would wait for the other if there were a line.
  const both = gate();
  let count = 0;
  const runs = ["cy", "di"].map((agent) =>
    coordinator.run({ agent }, async (tx) => {
      await tx.get(key);
      if ((count += 1) === 2) both.open();
      await both.opened;
    }),
  );
  expect(await Promise.all(runs)).toMatchObject([{ attempts: 1 }, { attempts: 1 }]);
});

it("a range that is still being read fixes the snapshot too: another read, whose turn comes meanwhile, does not move it", async () => {
  const space = await FakeSpace.open();
  const coordinator = await collide(space);
  // So many pages that others commit while they are read.
  for (let part = 0; part < 10; part += 1)
    await coordinator.run({ agent: "ann" }, (tx) => {
      for (let n = 0; n < 500; n += 1) tx.put(`list/${part}-${n}`, 0);
    });
  const thinker = await thinking(coordinator);
  const isReading = gate();
  const second = coordinator.run({ agent: "di" }, async (tx) => {
    const reads = Promise.all([tx.get(key), tx.scan<number>({ prefix: "list/" })]);
    isReading.open();
    const [, rows] = await reads;
    const sum = rows.reduce((all, { value }) => all + value, 0);
    tx.put("sums/list", sum);
    return sum;
  });
  await isReading.opened;
  await coordinator.run({ agent: "eve" }, (tx) => tx.put("list/0-0", 1));
  await thinker.end();
  expect(await second).toMatchObject({ outcome: "committed", value: 1 });
});
