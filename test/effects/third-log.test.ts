/* 25, 39: an effects log that is not the space's own does not say what was called. */
import { randomUUID } from "node:crypto";
import { SqliteFile } from "@seriatim/log";
import { createGenesis, encodeGenesis, type Genesis } from "@seriatim/protocol";
import kafkajs from "kafkajs";
import { expect, it, onTestFinished } from "vitest";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { firstRecords } from "../../libs/seriatim/src/genesis.ts";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { KafkaLogs } from "../../libs/seriatim/src/kafka-logs.ts";
import { describeKafka } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

async function madeFile(): Promise<{ path: string; genesis: Genesis }> {
  const path = temporaryFile();
  const space = await EmbeddedSpace.open(path);
  const { genesis } = space;
  expect(await firstRecords(space.effects)).toEqual([Buffer.from(encodeGenesis(genesis))]);
  await space.close();
  return { path, genesis };
}

it.each([
  ["is empty", "log_changed", undefined],
  ["is another space's", "other_space", encodeGenesis(createGenesis({ partitions: 1 }))],
])("a file whose effects log %s is refused", async (_, code, record) => {
  const { path } = await madeFile();
  const file = SqliteFile.open(path);
  await file.transaction(() => {
    file.database.prepare('DELETE FROM "log_effects_0"').run();
    if (record !== undefined) file.database.prepare('INSERT INTO "log_effects_0" VALUES (0, 0, ?, NULL)').run(record);
  });
  file.close();
  await expect(EmbeddedSpace.open(path)).rejects.toMatchObject({ code });
});

await describeKafka("an effects topic", (brokers) => {
  it("begins with the genesis, and one made anew is refused, also by init", async () => {
    const space = `effects-${randomUUID()}`;
    const { genesis } = await initKafka({ brokers, space, partitions: 2, replication: 1 });
    const logs = await KafkaLogs.open({ brokers, space });
    const wanted = Buffer.from(encodeGenesis(genesis));
    expect(await firstRecords(logs.effects)).toEqual([wanted, wanted]);
    await logs.intents.append(1, [{ value: Buffer.from("anything") }]);
    await logs.close();

    const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    onTestFinished(() => admin.disconnect());
    await admin.deleteTopics({ topics: [`${space}.effects`] });
    await expect.poll(() => admin.listTopics()).not.toContain(`${space}.effects`);
    await expect(KafkaLogs.open({ brokers, space })).rejects.toMatchObject({ code: "not_a_space" });
    const again = initKafka({ brokers, space, partitions: 2, replication: 1 });
    await expect(again).rejects.toMatchObject({ code: "log_changed", message: expect.stringContaining("partition 1") });
    await expect(KafkaLogs.open({ brokers, space })).rejects.toMatchObject({ code: "log_changed" });
  });
});
