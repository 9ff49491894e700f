/* More than is decided: clients fail before the log, nothing of that becomes a verdict, and it passes at once. */
import { isFailure } from "@seriatim/protocol";
import type { RunResult } from "@seriatim/client";
import { expect, it } from "vitest";
import { describeKafka } from "../support/kafka.ts";
import { SequencerProcess } from "../support/sequencer-process.ts";
import type { Participant } from "../support/spaces.ts";
import { caughtUp, join, makeSpace } from "./spaces.ts";

const limit = { timeout: 240_000 };
/** Longer than any test waits: nothing is cancelled for want of a verdict. */
const patient = { verdictTimeout: 200_000 };
/** What the documents say: see `overloaded` there. */
const mostBacklog = 50_000;

type Outcome = RunResult<unknown>["outcome"] | "overloaded";

async function put({ coordinator }: Participant, n: number): Promise<Outcome> {
  try {
    return (await coordinator.run({ agent: "a" }, (tx) => tx.put(`k/${n}`, n))).outcome;
  } catch (error) {
    if (isFailure(error, "overloaded")) return "overloaded";
    throw error;
  }
}

async function endOf({ space }: Participant): Promise<number> {
  return (await space.intents.bounds(0)).end;
}

function hundred(outcome: Outcome): Outcome[] {
  return Array<Outcome>(100).fill(outcome);
}

function expectNoRefusal({ coordinator }: Participant): void {
  expect(Object.values(coordinator.statistics().refusals).every((count) => count === 0)).toBe(true);
}

await describeKafka("a sequencer that does not keep up", (brokers) => {
  async function paused(options: object): Promise<{ participant: Participant; sequencer: SequencerProcess }> {
    const space = await makeSpace(brokers);
    const sequencer = new SequencerProcess(space);
    await sequencer.logged("leads");
    const participant = await join(space, { ...patient, ...options });
    expect(await put(participant, 0)).toBe("committed");
    sequencer.pause();
    return { participant, sequencer };
  }

  it("is sent no more than may wait: twice as many, and half of them fail", limit, async () => {
    const { participant, sequencer } = await paused({ unresolved: 100 });
    const before = await endOf(participant);
    let failed = 0;
    const outcomes = Array.from({ length: 200 }, async (_, n) => {
      const outcome = await put(participant, n + 1);
      if (outcome === "overloaded") failed += 1;
      return outcome;
    });
    await expect.poll(() => failed, { timeout: 60_000 }).toBe(100);
    await expect.poll(() => endOf(participant), { timeout: 60_000 }).toBe(before + 100);

    sequencer.resume();
    expect((await Promise.all(outcomes)).toSorted()).toEqual([...hundred("committed"), ...hundred("overloaded")]);
    expect(await put(participant, 201)).toBe("committed");
    expect(await participant.coordinator.scan({ prefix: "k/" })).toHaveLength(102);
    expect(await endOf(participant)).toBe(before + 101);
    expectNoRefusal(participant);
  });

  it("is sent nothing while it trails the log's end by too much", limit, async () => {
    const { participant, sequencer } = await paused({});
    const { space } = participant;
    const noise = Buffer.from("no intent");
    await Promise.all(Array.from({ length: mostBacklog + 1 }, () => space.append(0, noise)));
    const before = await endOf(participant);
    expect(await put(participant, 1)).toBe("overloaded");
    expect(await endOf(participant)).toBe(before);

    sequencer.resume();
    await caughtUp(participant);
    expect(await put(participant, 1)).toBe("committed");
    expect(await endOf(participant)).toBe(before + 1);
    expectNoRefusal(participant);
  });
});
