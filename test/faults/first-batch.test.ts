/* 29: the first batch ever fails: what comes next begins at the offset stored in the view, and skips nothing. */
import { hexOf, sha256 } from "@seriatim/protocol";
import { Sequencer } from "@seriatim/sequencer";
import { follow } from "@seriatim/view";
import { expect, it, onTestFinished, vi } from "vitest";
import { KafkaLogs, openView } from "../../libs/seriatim/src/kafka-logs.ts";
import { replay } from "../kill/replay.ts";
import { describeKafka } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";
import { join, makeSpace, sequence, type MadeSpace } from "./spaces.ts";

// Brokers and processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const disk = new Error("the disk is full");

/** A view in a file whose first transaction after this fails, as on a full disk. */
async function failingView(logs: KafkaLogs): ReturnType<typeof openView> {
  const { file, view } = await openView(temporaryFile("view.db"), logs);
  onTestFinished(() => file.close());
  let hasFailed = false;
  const failing = new Proxy(file, {
    get(target, name) {
      if (name === "transaction" && !hasFailed) {
        hasFailed = true;
        return () => Promise.reject(disk);
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  return { file: failing, view };
}

async function openLogs({ brokers, name }: MadeSpace): Promise<KafkaLogs> {
  const logs = await KafkaLogs.open({ brokers, space: name });
  onTestFinished(() => logs.close());
  return logs;
}

await describeKafka("29: a first batch that fails", (brokers) => {
  const used = async (): Promise<MadeSpace> => {
    const space = await makeSpace(brokers);
    await sequence(space);
    const { coordinator } = await join(space);
    for (let index = 0; index < 20; index += 1)
      await coordinator.run({ agent: "a" }, (tx) => tx.put(`k/${index}`, index));
    return space;
  };

  it("is folded again from the stored offset by whoever follows next", async () => {
    const logs = await openLogs(await used());
    const { file, view } = await failingView(logs);
    const stop = new AbortController();
    const options = {
      log: logs.verdicts,
      view,
      file,
      codec: logs.codec,
      partitions: [0],
      signal: stop.signal,
      onAdvance: () => undefined,
      onAlarm: () => undefined,
    };
    await expect(follow(options).ended).rejects.toBe(disk);
    expect(view.position(0)).toMatchObject({ offset: -1, next: 0 });

    const again = follow(options);
    await again.caughtUp;
    stop.abort();
    await again.ended;
    const replayed = await replay(logs.intents, logs.codec, 0);
    const { offset, chain } = view.position(0);
    expect(offset).toBe(replayed.verdicts.at(-1)?.offset);
    expect(hexOf(chain)).toBe(replayed.chains.get(offset));
    expect(again.counts(0)).toMatchObject({ gaps: 0, unreadable: 0, foreign: 0 });
  });

  it("is decided and folded again by a sequencer that is started again", async () => {
    const space = await makeSpace(brokers);
    const logs = await openLogs(space);
    const { intents, verdicts, codec } = logs;
    const { file, view } = await failingView(logs);
    const parts = { intents, verdicts, codec, view, file, hash: sha256 };
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    await expect((await Sequencer.open(parts)).run(stop.signal)).rejects.toBe(disk);
    expect(view.position(0)).toMatchObject({ offset: -1, next: 0 });

    const running = (await Sequencer.open(parts)).run(stop.signal);
    const { coordinator } = await join(space);
    await coordinator.run({ agent: "a" }, (tx) => tx.put("k/1", 1));
    const { end } = await intents.bounds(0);
    await expect.poll(() => view.position(0).offset, { timeout: 20_000 }).toBe(end - 1);
    stop.abort();
    await running;
    const replayed = await replay(intents, codec, 0);
    expect(replayed.verdicts.map(({ offset }) => offset)).toEqual([0, 1]);
    expect(hexOf(view.position(0).chain)).toBe(replayed.chains.get(1));
  });
});
