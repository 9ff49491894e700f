import { Failure } from "@seriatim/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { TopicProducer } from "../../libs/log/src/kafka/producer.ts";
import { PartitionSender } from "../../libs/log/src/kafka/sender.ts";

const timeout = 30_000;
const records = [{ record: { value: Uint8Array.of(1) }, bytes: 1 }];

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}

/** A cluster that nobody reaches before `from`, in ms from now. */
function reachableFrom(from: number): { producer: TopicProducer; sent: number[] } {
  const sent: number[] = [];
  const send: TopicProducer["send"] = async (_, { records: batch }, deadline) => {
    await passed(Math.min(deadline, from) - performance.now());
    if (performance.now() < from) throw new Failure("unavailable", "nobody is there", { canRetry: true });
    sent.push(batch.length);
    return 7;
  };
  return { producer: { send } as TopicProducer, sent };
}

describe("appends to one partition while nobody can be reached", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
  afterEach(() => void vi.useRealTimers());

  it("have each its own time, whoever has waited longer beside it", async () => {
    const { producer, sent } = reachableFrom(40_000);
    const sender = new PartitionSender(producer, 0, timeout);
    const appendAfter = async (ms: number): Promise<unknown> => {
      await passed(ms);
      return sender.append(records, undefined).catch((error: Error) => error.message);
    };
    const outcomes = Promise.all([0, 1_000, 5_000, 25_000, 29_000].map(appendAfter));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await outcomes).toEqual(["nobody is there", "nobody is there", "nobody is there", 7, 8]);
    expect(sent).toEqual([2]);
  });

  it("are given up together where their outcome is not known", async () => {
    const lost = new Failure("unknown_outcome", "no answer", { canRetry: true });
    const producer = { send: () => Promise.reject(lost) } as unknown as TopicProducer;
    const sender = new PartitionSender(producer, 0, timeout);
    const outcomes = await Promise.allSettled([1, 2].map(() => sender.append(records, undefined)));
    expect(outcomes.map((outcome) => outcome.status === "rejected" && outcome.reason)).toEqual([lost, lost]);
  });
});
