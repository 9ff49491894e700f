/* Where the cluster has no group coordinator: groups share work out, and nothing else may rest on them. */
import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { canUseJars, startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { Lines, seriatim, start } from "../cli/command.ts";
import { temporaryFile } from "../support/temporary.ts";

describe.skipIf(!canUseJars())("a broker that cannot coordinate groups", () => {
  let broker: Broker | undefined;
  beforeAll(async () => {
    // The topic that a coordinator keeps its groups in cannot be made.
    broker = await startBroker({ from: "jars", properties: { "offsets.topic.replication.factor": "2" } });
  });
  afterAll(async () => broker?.stop());

  it("is read, appended to and sequenced on all the same", { timeout: 120_000 }, async () => {
    const brokers = broker?.brokers ?? [];
    const where = ["--brokers", brokers.join(","), "--space", "team"];
    await initKafka({ brokers, space: "team", partitions: 2, replication: 1 });
    const sequencer = start(["sequencer", ...where, "--view", temporaryFile("sequencer.db")]);
    const ended = once(sequencer, "exit");
    sequencer.stderr?.resume();
    await new Lines(sequencer).next();
    const view = temporaryFile("client.db");
    for (const key of ["a/x", "b/x", "c/x"])
      expect(await seriatim(["put", ...where, "--view", view, "--wait", "30", key, "1"])).toMatchObject({ code: 0 });
    sequencer.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});
