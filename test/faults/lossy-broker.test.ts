/* A network that cuts, delays and drops: nothing is lost or doubled, and no outcome stays unknown. */
import type { RunResult } from "@seriatim/client";
import { isFailure } from "@seriatim/protocol";
import { expect, it, onTestFinished, vi } from "vitest";
import { KafkaFollowing } from "../../libs/seriatim/src/kafka-following.ts";
import { KafkaLogs, openView } from "../../libs/seriatim/src/kafka-logs.ts";
import { describeProxied } from "../support/own-broker.ts";
import { appendFaults, type ProxyFaults } from "../support/proxy.ts";
import type { Participant } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { caughtUp, join, makeSpace, sequence } from "./spaces.ts";

// Brokers and processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const seed = 5;
const faults: ProxyFaults = {
  append: { "cut after": 0.15, "cut before": 0.1, drop: 0.04, delay: 0.2 },
  cutOther: 0.01,
  delay: 200,
};
/** So short that sends are given up, and cancelled, while they may still be under way. */
const impatient = { appendTimeout: 1000, answerTimeout: 2000, readTimeout: 5000, verdictTimeout: 3000 };

interface Tally {
  readonly committed: Set<string>;
  /** Actions whose run ended with a failure, and the failure's code. */
  readonly failed: Map<string, string>;
}

const write = ({ coordinator }: Participant, name: string): Promise<RunResult<number>> =>
  coordinator.run({ agent: "writer", id: name, partitionKey: "n", attempts: 1000 }, async (tx) => {
    const n = ((await tx.get<number>("n/count")) ?? 0) + 1;
    tx.put("n/count", n);
    tx.put(`n/entries/${name}`, n);
    return n;
  });

async function work(participant: Participant, names: readonly string[], tally: Tally): Promise<void> {
  for (const name of names) {
    try {
      const { outcome } = await write(participant, name);
      expect(outcome).toBe("committed");
      tally.committed.add(name);
    } catch (error) {
      if (!isFailure(error, "unavailable", "unknown_outcome", "not_yet")) throw error;
      tally.failed.set(name, error.code);
    }
  }
}

await describeProxied("a lossy broker", seed, (proxied) => {
  it("every unknown outcome is resolved, none is left, and each action took effect once", async () => {
    const { broker, proxy } = proxied();
    const through = [proxy.address];
    const space = await makeSpace(broker.brokers);
    await sequence(space);
    await sequence(space, { brokers: through });
    const participants = await Promise.all([1, 2, 3].map(() => join(space, { ...impatient, brokers: through })));

    const tally: Tally = { committed: new Set(), failed: new Map() };
    proxy.setFaults(faults);
    let round = 0;
    const isQuiet = (): boolean => appendFaults.some((fault) => proxy.counts[fault] === 0);
    for (; round < 2 || (isQuiet() && round < 20); round += 1) {
      const names = (index: number): string[] => Array.from({ length: 12 }, (_, n) => `${round}.${index}.${n}`);
      await Promise.all(participants.map((participant, index) => work(participant, names(index), tally)));
    }
    expect(isQuiet()).toBe(false);
    proxy.setFaults();

    const [participant] = participants as [Participant];
    await caughtUp(participant);
    const before = (await participant.coordinator.get<number>("n/count")) ?? 0;
    expect(before).toBeGreaterThanOrEqual(tally.committed.size);
    expect(before).toBeLessThanOrEqual(tally.committed.size + tally.failed.size);
    // To run it again is to look it up, and to do it only if it was not done.
    for (const name of tally.failed.keys()) expect((await write(participant, name)).outcome).toBe("committed");
    const all = round * participants.length * 12;
    expect(await participant.coordinator.get("n/count")).toBe(all);
    const entries = await participant.coordinator.scan<number>({ prefix: "n/entries/" });
    expect(entries.map(({ value }) => value).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: all }, (_, index) => index + 1),
    );
  });

  it("who finds the connection refused for a while goes on after it", async () => {
    const { broker, proxy } = proxied();
    const through = { brokers: [proxy.address] };
    const space = await makeSpace(broker.brokers);
    await sequence(space, through);
    const participant = await join(space, through);
    await write(participant, "before");
    proxy.refuse();
    const waiting = write(participant, "during");
    const refused = proxy.counts.refuse;
    await expect.poll(() => proxy.counts.refuse, { timeout: 20_000 }).toBeGreaterThan(refused + 5);
    proxy.refuse(false);
    expect(await waiting).toMatchObject({ outcome: "committed", value: 2 });
  });

  it("readers whose connections are cut again and again miss nothing", async () => {
    const { broker, proxy } = proxied();
    const space = await makeSpace(broker.brokers);
    await sequence(space);
    const writer = await join(space);
    const reader = await join(space, { brokers: [proxy.address] });
    for (let index = 0; index < 30; index += 1) {
      await write(writer, `${index}`);
      if (index % 3 === 0) proxy.cut();
    }
    await caughtUp(reader);
    expect(await reader.coordinator.get("n/count")).toBe(30);
  });

  it("who loses the broker while connecting is told, though the view holds something already", async () => {
    const { broker, proxy } = proxied();
    const space = await makeSpace(broker.brokers);
    await sequence(space);
    const path = temporaryFile("view.db");
    await write(await join(space, { view: path }), "before");
    const logs = await KafkaLogs.open({ brokers: [proxy.address], space: space.name, answerTimeout: 500 });
    const { connection, intents, verdicts, codec } = logs;
    const opened = await openView(path, logs);
    onTestFinished(async () => {
      proxy.refuse(false);
      await logs.close();
      opened.file.close();
    });
    const parts = { connection, intents, verdicts, codec, ...opened };
    proxy.refuse();
    const following = new KafkaFollowing({ ...parts, onAdvance: () => undefined, onAlarm: () => undefined });
    await expect(following.caughtUp).rejects.toMatchObject({ code: "unavailable", canRetry: true });
    await following.stop();
  });
});
