import { createTopic, joinGroup, KafkaConnection } from "@seriatim/log";
import { expect, it, onTestFinished, vi } from "vitest";
import { describeKafka, freshTopic } from "../support/kafka.ts";

const partitions = [0, 1, 2, 3, 4];

await describeKafka("a group's members", (brokers) => {
  async function freshGroup(): Promise<{ join: () => Member }> {
    const connection = new KafkaConnection({ brokers });
    const topic = freshTopic("shared");
    await createTopic(connection, topic, { partitions: partitions.length });
    onTestFinished(() => connection.close());
    return { join: () => memberOf(connection, topic) };
  }

  it("have every partition once between them, whoever comes and goes", async () => {
    const { join } = await freshGroup();
    const one = join();
    await shared([one]);
    const two = join();
    await shared([one, two]);
    await one.leave();
    await shared([two]);
  });

  it("join again when the clock was put back, by which kafkajs counts until its next heartbeat", async () => {
    const { join } = await freshGroup();
    const member = join();
    await shared([member]);
    const { joins } = member;
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    await vi.waitFor(() => expect(member.joins).toBeGreaterThan(joins), { timeout: 40_000 });
    expect(member.losses).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/^no sign of the group/) }),
    ]);
    await shared([member]);
  });
});

interface Member {
  readonly assigned: readonly number[];
  /** How often it was assigned something. */
  readonly joins: number;
  readonly losses: readonly unknown[];
  leave(): Promise<void>;
}

function memberOf(connection: KafkaConnection, topic: string): Member {
  const stop = new AbortController();
  const member = { assigned: [] as readonly number[], joins: 0, losses: [] as unknown[], leave };
  const left = joinGroup(connection, {
    group: `${topic}-members`,
    topic,
    signal: stop.signal,
    onAssigned: (assigned) => {
      member.assigned = assigned;
      member.joins += 1;
    },
    onLost: (error) => member.losses.push(error),
  });
  async function leave(): Promise<void> {
    stop.abort();
    await left;
  }
  onTestFinished(leave);
  return member;
}

/** Resolves when the members have all partitions, each its share. */
async function shared(members: readonly Member[]): Promise<void> {
  const share = Math.floor(partitions.length / members.length);
  await vi.waitFor(
    () => {
      expect(members.flatMap(({ assigned }) => assigned).toSorted((a, b) => a - b)).toEqual(partitions);
      for (const { assigned } of members) expect(assigned.length).toBeGreaterThanOrEqual(share);
    },
    { timeout: 30_000 },
  );
}
