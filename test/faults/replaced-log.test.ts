/* 39: a log that is not the one that was folded, in each of the ways in which Kafka can come to hold one. */
import { createTopic, KafkaConnection, openKafkaLog } from "@seriatim/log";
import { isFailure } from "@seriatim/protocol";
import kafkajs from "kafkajs";
import { expect, it, onTestFinished, vi } from "vitest";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { describeProxied } from "../support/own-broker.ts";
import { temporaryFile } from "../support/temporary.ts";
import { join, makeSpace, sequence, type MadeSpace } from "./spaces.ts";

// Brokers and processes start slowly on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

type Half = "intents" | "verdicts";

/** What stands in a topic's one partition, and what may be done to it. */
class Topic {
  readonly name: string;
  readonly #brokers: readonly string[];
  readonly #admin: kafkajs.Admin;

  private constructor(name: string, brokers: readonly string[], admin: kafkajs.Admin) {
    this.name = name;
    this.#brokers = brokers;
    this.#admin = admin;
  }

  static async of(space: MadeSpace, half: Half, brokers = space.brokers): Promise<Topic> {
    const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
    const admin = kafka.admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    return new Topic(`${space.name}.${half}`, brokers, admin);
  }

  async end(): Promise<number> {
    const [found] = await this.#admin.fetchTopicOffsets(this.name);
    return Number(found?.high);
  }

  /** The topic anew, with `kept` of the records that it had, and so many others after them. */
  async recreate(kept: number, others: number): Promise<void> {
    const records = (await this.#records()).slice(0, kept);
    await this.#admin.deleteTopics({ topics: [this.name] });
    await this.#within(async (connection) => {
      await expect.poll(() => createTopic(connection, this.name, { partitions: 1 }), { timeout: 20_000 }).toBe(true);
    });
    await this.grow([...records, ...Array.from({ length: others }, (_, index) => Buffer.from(`other ${index}`))]);
  }

  /** Deletes every record and appends others. */
  async cut(others: number): Promise<void> {
    await this.#admin.deleteTopicRecords({ topic: this.name, partitions: [{ partition: 0, offset: "-1" }] });
    await this.grow(Array.from({ length: others }, (_, index) => Buffer.from(`other ${index}`)));
  }

  async grow(values: readonly Uint8Array[]): Promise<void> {
    await this.#within(async (connection) => {
      const log = await openKafkaLog(connection, this.name);
      if (values.length > 0)
        await log.append(
          0,
          values.map((value) => ({ value })),
        );
      await log.close();
    });
  }

  async #records(): Promise<Uint8Array[]> {
    const end = await this.end();
    const found: Uint8Array[] = [];
    await this.#within(async (connection) => {
      const log = await openKafkaLog(connection, this.name);
      const stop = new AbortController();
      for await (const { records } of log.read(new Map([[0, 0]]), { signal: stop.signal })) {
        found.push(...records.map(({ value }) => value));
        if (found.length >= end) stop.abort();
      }
      await log.close();
    });
    return found;
  }

  async #within(work: (connection: KafkaConnection) => Promise<void>): Promise<void> {
    const connection = new KafkaConnection({ brokers: this.#brokers });
    await work(connection);
    await connection.close();
  }
}

const failureOf = (call: Promise<unknown>): Promise<unknown> => call.catch((error: unknown) => error);

const changes: readonly {
  readonly name: string;
  readonly half: Half;
  readonly change: (topic: Topic, end: number) => Promise<void>;
  readonly says: RegExp;
}[] = [
  { name: "intents recreated", half: "intents", change: (topic) => topic.recreate(0, 0), says: /intents.*made anew/ },
  {
    name: "intents recreated, with the genesis only",
    half: "intents",
    change: (topic) => topic.recreate(1, 0),
    says: /partition 0 of .*intents was recreated: it ends at offset 1/,
  },
  {
    name: "intents recreated and grown past the offset",
    half: "intents",
    change: (topic, end) => topic.recreate(1, end + 5),
    says: /partition 0 of .*intents was replaced: another record stands at offset/,
  },
  {
    name: "intents cut",
    half: "intents",
    change: (topic) => topic.cut(0),
    says: /partition 0 of .*intents was truncated: it starts at offset/,
  },
  {
    name: "intents cut and grown again",
    half: "intents",
    change: (topic) => topic.cut(20),
    says: /partition 0 of .*intents was truncated: it starts at offset/,
  },
  {
    name: "verdicts recreated",
    half: "verdicts",
    change: (topic) => topic.recreate(0, 0),
    says: /partition 0 of .*verdicts was recreated or cut: it ends at offset 0/,
  },
];

await describeProxied("39: a log that was replaced", 1, (proxied) => {
  const used = async (): Promise<{ space: MadeSpace; view: string; sequencerView: string }> => {
    const space = await makeSpace(proxied().broker.brokers);
    const sequencing = await sequence(space);
    const view = temporaryFile("view.db");
    const { coordinator } = await join(space, { view });
    for (let index = 0; index < 5; index += 1)
      await coordinator.run({ agent: "a" }, (tx) => tx.put(`k/${index}`, index));
    await coordinator.close();
    await sequencing.stop();
    return { space, view, sequencerView: sequencing.view };
  };

  it.each(changes)("$name: neither client nor sequencer starts", async ({ half, change, says }) => {
    const { space, view, sequencerView } = await used();
    const topic = await Topic.of(space, half);
    await change(topic, await topic.end());
    const starts = [() => join(space, { view }), () => sequence(space, { view: sequencerView })];
    for (const start of starts) {
      const failure = await failureOf(start());
      expect(failure).toMatchObject({ code: "log_changed", canRetry: false });
      expect((failure as Error).message).toMatch(says);
    }
  });

  it("a space made anew under the old name is another space", async () => {
    const { space, view, sequencerView } = await used();
    for (const half of ["intents", "verdicts"] as const) await (await Topic.of(space, half)).recreate(0, 0);
    await initKafka({ brokers: space.brokers, space: space.name, partitions: 1, replication: 1 });
    expect(await failureOf(join(space, { view }))).toMatchObject({ code: "other_space" });
    expect(await failureOf(sequence(space, { view: sequencerView }))).toMatchObject({ code: "other_space" });
  });

  it.each(["intents", "verdicts"] as const)(
    "%s recreated and grown past the offset while the connection is away: who runs stops",
    async (half) => {
      const { broker, proxy } = proxied();
      const through = { brokers: [proxy.address], readTimeout: 300_000 };
      const space = await makeSpace(broker.brokers);
      const sequencing = await sequence(space, through);
      const { coordinator, space: running } = await join(space, through);
      for (let index = 0; index < 5; index += 1)
        await coordinator.run({ agent: "a" }, (tx) => tx.put(`k/${index}`, index));

      const topic = await Topic.of(space, half);
      const end = await topic.end();
      proxy.refuse();
      await topic.recreate(1, end + 5);
      proxy.refuse(false);

      expect(await failureOf(sequencing.running)).toMatchObject({ code: "log_changed" });
      const { offset } = running.view.position(0);
      const failure = await failureOf(running.reached({ partition: 0, offset: offset + 100 }, { timeout: 30_000 }));
      expect(failure).toSatisfy((error) => isFailure(error, "log_changed"));
      expect((failure as Error).message).toContain(topic.name);
      const put = coordinator.run({ agent: "a" }, (tx) => tx.put("k/new", 1));
      expect(await failureOf(put)).toMatchObject({ code: "log_changed" });
      expect(await failureOf(coordinator.get("k/0"))).toMatchObject({ code: "log_changed" });
    },
  );

  it("recreated under who runs: who runs stops", async () => {
    const { broker } = proxied();
    const space = await makeSpace(broker.brokers);
    const sequencing = await sequence(space);
    const { coordinator, space: running } = await join(space);
    await coordinator.run({ agent: "a" }, (tx) => tx.put("k/0", 0));
    for (const half of ["intents", "verdicts"] as const) await (await Topic.of(space, half)).recreate(0, 0);
    expect(await failureOf(sequencing.running)).toMatchObject({ code: "log_changed" });
    const far = { partition: 0, offset: 1000 };
    expect(await failureOf(running.reached(far, { timeout: 30_000 }))).toMatchObject({ code: "log_changed" });
  });
});
