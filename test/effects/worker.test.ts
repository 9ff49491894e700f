import { CallError, type CallContext, type HandlerDefinition } from "@seriatim/effects";
import { EffectsReading, type Row } from "@seriatim/effects-worker";
import { SqliteFile } from "@seriatim/log";
import { sha256 } from "@seriatim/protocol";
import { expect, it, onTestFinished } from "vitest";
import { Barrier, describeSpaces, type Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { Settable, startWorker } from "./workers.ts";

const patient = { timeout: 20_000 };

/** Commits one transaction that defers these, in this order. */
async function commit(
  { coordinator }: Participant,
  ...effects: readonly (readonly [name: string, args: unknown, lane?: string])[]
): Promise<void> {
  const result = await coordinator.run({ agent: "agent", partitionKey: "k" }, (tx) => {
    for (const [name, args, lane] of effects) tx.defer(name, args, lane === undefined ? {} : { lane });
  });
  expect(result.outcome).toBe("committed");
}

/** What the logs say of all effects, to somebody who has never read them. */
async function effectsOf({ space }: Participant): Promise<Row[]> {
  const file = SqliteFile.open(temporaryFile("reading.db"));
  const { verdicts, effects, codec } = space;
  const { signal } = new AbortController();
  const reading = await EffectsReading.open({ verdicts, effects, codec, file, hash: sha256, signal });
  const rows = [...reading.rows({ all: true })];
  file.close();
  return rows;
}

async function statesOf(participant: Participant): Promise<string[]> {
  return (await effectsOf(participant)).map(({ progress }) => progress.state);
}

/** A handler that writes down what it was called with. */
function recorder(calls: unknown[], more: Partial<HandlerDefinition> = {}): HandlerDefinition {
  return { call: (args) => void calls.push(args), ...more };
}

await describeSpaces("a worker", (make) => {
  it("calls what was deferred once, whoever starts when", async () => {
    const one = await (await make()).join();
    await commit(one, ["note", 1], ["note", 2]);
    const calls: unknown[] = [];
    const first = await startWorker(one.space, { note: recorder(calls) });
    await expect.poll(() => calls, patient).toEqual([1, 2]);
    await expect.poll(() => statesOf(one), patient).toEqual(["done", "done"]);
    await first.stop();
    await startWorker(one.space, { note: recorder(calls) });
    await commit(one, ["note", 3]);
    await expect.poll(() => calls, patient).toEqual([1, 2, 3]);
  });

  it("gives every call of an effect the same key, and no other effect's", async () => {
    const participant = await (await make()).join();
    const keys: string[] = [];
    const call = (_: unknown, { key, attempt }: CallContext): void => {
      keys.push(key);
      if (attempt < 3) throw new Error("not yet");
    };
    await startWorker(participant.space, { note: { call, backoff: 1 } });
    await commit(participant, ["note", 1], ["note", 2]);
    await expect.poll(() => keys.length, patient).toBe(6);
    expect(new Set(keys.slice(0, 3)).size).toBe(1);
    expect(new Set(keys).size).toBe(2);
  });

  it("keeps the order of a lane over intents, though the first is slow; other lanes do not wait", async () => {
    const participant = await (await make()).join();
    const calls: string[] = [];
    const gate = new Settable();
    const call = async (args: unknown): Promise<void> => {
      if (args === "a1") await gate.promise;
      calls.push(String(args));
      if (calls.length === 2) gate.resolve();
    };
    await commit(participant, ["note", "a1", "a"]);
    await commit(participant, ["note", "a2", "a"]);
    await commit(participant, ["note", "b1", "b"], ["note", "b2", "b"]);
    await startWorker(participant.space, { note: { call } });
    await expect.poll(() => calls, patient).toEqual(["b1", "b2", "a1", "a2"]);
  });

  it("keeps the order of one intent's effects over its lanes", async () => {
    const participant = await (await make()).join();
    const calls: unknown[] = [];
    await commit(participant, ["note", 1, "a"], ["note", 2, "b"], ["note", 3, "a"], ["note", 4, "c"]);
    await startWorker(participant.space, { note: recorder(calls) });
    await expect.poll(() => calls, patient).toEqual([1, 2, 3, 4]);
  });

  it("leaves a dead letter behind, and its lane goes on", async () => {
    const participant = await (await make()).join();
    const calls: unknown[] = [];
    const call = (args: unknown): void => {
      calls.push(args);
      if (args === "bad") throw new CallError("refused", "no such person");
      if (args === "worse") throw new Error("away");
    };
    await commit(participant, ["note", "bad"], ["note", "worse"], ["note", "good"]);
    await startWorker(participant.space, { note: { call, attempts: 2, backoff: 1 } });
    await expect.poll(() => calls, patient).toEqual(["bad", "worse", "worse", "good"]);
    await expect.poll(() => statesOf(participant), patient).toEqual(["failed", "failed", "done"]);
    expect((await effectsOf(participant)).map(({ progress }) => progress.error)).toEqual([
      "no such person",
      "given up after 2 attempts; the last one: away",
      null,
    ]);
  });

  it("23: holds the lane of an effect that may have happened, and does not send it again", async () => {
    const participant = await (await make()).join();
    const calls: string[] = [];
    const call = (args: unknown): void => {
      calls.push(String(args));
      if (args === "lost") throw new Error("the connection broke");
    };
    await commit(participant, ["pay", "lost", "a"]);
    await commit(participant, ["pay", "behind", "a"]);
    await commit(participant, ["pay", "beside", "b"]);
    await startWorker(participant.space, { pay: { call, idempotent: false, backoff: 1 } });
    await expect.poll(() => statesOf(participant), patient).toEqual(["unknown", "pending", "done"]);
    expect(calls.toSorted()).toEqual(["beside", "lost"]);
    const [lost] = await effectsOf(participant);
    if (lost === undefined) throw new Error("the effect is gone");
    await decide(participant, lost, "resolve");
    await expect.poll(() => statesOf(participant), patient).toEqual(["done", "done", "done"]);
    expect(calls.toSorted()).toEqual(["behind", "beside", "lost"]);
  });

  it("asks what became of such a call where the handler can", async () => {
    const participant = await (await make()).join();
    const answers = [{ state: "unknown" }, { state: "not_done" }, { state: "unknown" }, { state: "done" }] as const;
    let asked = 0;
    let called = 0;
    const pay: HandlerDefinition = {
      call: () => {
        called += 1;
        throw new Error("the connection broke");
      },
      reconcile: () => answers[asked++] ?? { state: "unknown" },
      idempotent: false,
      backoff: 1,
      longestBackoff: 20,
    };
    await commit(participant, ["pay", 1]);
    await startWorker(participant.space, { pay });
    await expect.poll(() => statesOf(participant), patient).toEqual(["done"]);
    // Once at first, and once more after the answer that it had not happened.
    expect({ asked, called }).toEqual({ asked: 4, called: 2 });
  });

  it("leaves what it does not know to others, and says so", async () => {
    const participant = await (await make()).join();
    const alarms: unknown[] = [];
    const onUnknownHandler = (alarm: unknown): void => void alarms.push(alarm);
    await startWorker(participant.space, { note: recorder([]) }, { onUnknownHandler });
    await commit(participant, ["other", 1]);
    await commit(participant, ["other", 2]);
    await expect.poll(() => alarms, patient).toMatchObject([{ handler: "other" }]);
    expect(await statesOf(participant)).toEqual(["pending", "pending"]);
    const calls: unknown[] = [];
    await startWorker(participant.space, { other: recorder(calls) });
    await expect.poll(() => calls, patient).toEqual([1, 2]);
  });

  it("shares the work with others, and each effect is called once", async () => {
    const participant = await (await make()).join();
    const calls: unknown[] = [];
    const slow: HandlerDefinition = {
      call: async (args) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        calls.push(args);
      },
    };
    const workers = await Promise.all(
      [1, 2, 3].map(() => startWorker(participant.space, { note: slow }, { concurrency: 2 })),
    );
    expect(new Set(workers.map(({ worker }) => worker.name)).size).toBe(3);
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    await Promise.all(numbers.map((n) => commit(participant, ["note", n, `lane-${n % 10}`])));
    await expect.poll(() => calls.length, patient).toBe(30);
    await expect.poll(() => statesOf(participant), patient).toEqual(numbers.map(() => "done"));
    expect(calls.toSorted((a, b) => Number(a) - Number(b))).toEqual(numbers);
  });

  it("takes over from a worker that has gone silent, under the same key", async () => {
    const participant = await (await make()).join();
    const keys: string[] = [];
    const hanging: HandlerDefinition = {
      call: (_, { key }) => {
        keys.push(key);
        return new Promise(() => undefined);
      },
      timeout: 100_000,
    };
    const gone = await startWorker(participant.space, { note: hanging });
    await commit(participant, ["note", 1]);
    await expect.poll(() => keys.length, patient).toBe(1);
    // It says nothing any more, as if it had been killed.
    const answering: HandlerDefinition = { call: (_, { key }) => void keys.push(key), timeout: 100 };
    await startWorker(participant.space, { note: answering }, { grace: 100 });
    await expect.poll(() => keys.length, patient).toBe(2);
    expect(keys[0]).toBe(keys[1]);
    await expect.poll(() => statesOf(participant), patient).toEqual(["done"]);
    await gone.stop();
  });

  it("does not take over a call that may not be made twice: its outcome is unknown", async () => {
    const participant = await (await make()).join();
    let calls = 0;
    const pay = (timeout: number): HandlerDefinition => ({
      call: () => {
        calls += 1;
        return new Promise(() => undefined);
      },
      idempotent: false,
      timeout,
    });
    await startWorker(participant.space, { pay: pay(3_000) });
    await commit(participant, ["pay", 1]);
    await expect.poll(() => calls, patient).toBe(1);
    await startWorker(participant.space, { pay: pay(100) }, { grace: 100 });
    await expect.poll(() => statesOf(participant), patient).toEqual(["unknown"]);
    expect(calls).toBe(1);
  });

  it("25: makes no outside call when it reads everything from the beginning", async () => {
    const participant = await (await make()).join();
    const calls: unknown[] = [];
    const first = await startWorker(participant.space, { note: recorder(calls) });
    for (const n of [1, 2, 3, 4, 5]) await commit(participant, ["note", n, `lane-${n}`], ["note", -n]);
    await expect.poll(() => calls.length, patient).toBe(10);
    await expect.poll(() => statesOf(participant), patient).toEqual(Array.from({ length: 10 }, () => "done"));
    await first.stop();
    const again: unknown[] = [];
    const { worker } = await startWorker(participant.space, { note: recorder(again) });
    await commit(participant, ["note", "new"]);
    await expect.poll(() => again, patient).toEqual(["new"]);
    await expect.poll(() => worker.status().open.size, patient).toBe(0);
  });

  it("shares what it has read with others that keep it in the same file", async () => {
    const participant = await (await make()).join();
    const path = temporaryFile("shared.db");
    const calls: unknown[] = [];
    await startWorker(participant.space, { note: recorder(calls) }, { path });
    await startWorker(participant.space, { note: recorder(calls) }, { path });
    const numbers = Array.from({ length: 20 }, (_, index) => index);
    for (const n of numbers) await commit(participant, ["note", n, `lane-${n % 3}`]);
    await expect.poll(() => calls.length, patient).toBe(20);
    const third = await startWorker(participant.space, { note: recorder(calls) }, { path });
    await expect.poll(() => third.worker.status().open.size, patient).toBe(0);
    await expect.poll(() => statesOf(participant), patient).toEqual(numbers.map(() => "done"));
    expect(calls).toHaveLength(20);
  });

  it("defers nothing for a refused intent", async () => {
    const participant = await (await make()).join();
    const { coordinator } = participant;
    const calls: unknown[] = [];
    const everyoneHasRead = new Barrier(2);
    await startWorker(participant.space, { note: recorder(calls) });
    const both = [1, 2].map((n) =>
      coordinator.run({ agent: `agent-${n}`, partitionKey: "k", attempts: 1 }, async (tx) => {
        await tx.get("k/seat");
        await everyoneHasRead.arrive();
        tx.put("k/seat", n);
        tx.defer("note", n);
      }),
    );
    const outcomes = (await Promise.all(both)).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(["committed", "refused"]);
    const winner = outcomes.indexOf("committed") + 1;
    await commit(participant, ["note", "last"]);
    await expect.poll(() => calls, patient).toEqual([winner, "last"]);
  });
});

async function decide({ space }: Participant, row: Row, act: "retry" | "resolve" | "drop"): Promise<void> {
  const file = SqliteFile.open(temporaryFile("deciding.db"));
  onTestFinished(() => file.close());
  const { verdicts, effects, codec } = space;
  const { signal } = new AbortController();
  const reading = await EffectsReading.open({ verdicts, effects, codec, file, hash: sha256, signal });
  await reading.decide(row, { act, who: "ops", why: "seen at the provider" });
}
