/* 37: a sequencer that was paused comes back after another has taken over. */
import { expect, it } from "vitest";
import { caughtUp, join, makeSpace } from "../faults/spaces.ts";
import { describeKafka } from "../support/kafka.ts";
import { SequencerProcess } from "../support/sequencer-process.ts";
import type { Participant } from "../support/spaces.ts";
import { readAll, replay } from "./replay.ts";

/** Without a group: it would go on leading what the group gives back to it. */
const alone = ["--partitions", "0"];

const add = ({ coordinator }: Participant, name: string): Promise<{ readonly outcome: string }> =>
  coordinator.run({ agent: "adder", id: name, partitionKey: "n", attempts: 1000 }, async (tx) => {
    tx.put("n/count", ((await tx.get<number>("n/count")) ?? 0) + 1);
    tx.put(`n/entries/${name}`, name);
  });

await describeKafka("37: a paused sequencer", (brokers) => {
  it("repeats what nobody heeds, and follows", { timeout: 240_000 }, async () => {
    const space = await makeSpace(brokers);
    const paused = new SequencerProcess(space, ...alone);
    await paused.logged("leads");
    const participants = [await join(space), await join(space)] as const;
    for (let index = 0; index < 10; index += 1) await add(participants[index % 2] as Participant, `before ${index}`);

    paused.pause();
    const waiting = Array.from({ length: 10 }, (_, index) => add(participants[index % 2] as Participant, `${index}`));
    const other = new SequencerProcess(space, ...alone);
    await other.logged("leads");
    await Promise.all(waiting);
    const during = Array.from({ length: 10 }, (_, index) => add(participants[index % 2] as Participant, `on ${index}`));
    paused.resume();
    await Promise.all(during);
    await paused.logged("follows");
    await add(participants[0], "after");
    expect([paused.isRunning, other.isRunning]).toEqual([true, true]);

    const [{ coordinator, space: opened }] = participants;
    await caughtUp(participants[0]);
    expect(await coordinator.get("n/count")).toBe(31);
    expect(await coordinator.history("n/count")).toHaveLength(31);
    const replayed = await replay(opened.intents, opened.codec, 0);
    const { end } = await opened.verdicts.bounds(0);
    await readAll(opened.verdicts, 0, { from: 0, end }, (_at, value) => {
      const offset = opened.codec.decodeVerdict(value)?.offset ?? -1;
      expect(Buffer.from(value).toString("hex")).toBe(replayed.bytes.get(offset));
    });
  });
});
