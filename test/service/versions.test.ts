/* Versions of Seriatim side by side: who does not know a space's rules or schemas stops, says why, and writes nothing. */
import { createTopic, KafkaConnection, openKafkaLog, type Log } from "@seriatim/log";
import {
  createGenesis,
  currentRules,
  emptyIntent,
  encodeGenesis,
  sha256,
  createCodec,
  type Genesis,
} from "@seriatim/protocol";
import { expect, it, onTestFinished } from "vitest";
import { join, makeSpace, sequence } from "../faults/spaces.ts";
import { seriatim } from "../cli/command.ts";
import { describeKafka, freshTopic } from "../support/kafka.ts";
import { temporaryFile } from "../support/temporary.ts";

await describeKafka("a space of another version", (brokers) => {
  /** The topics of a space with this genesis, as a later version would make them. */
  async function spaceWith(genesis: Genesis): Promise<{ readonly name: string; readonly verdicts: Log }> {
    const connection = new KafkaConnection({ brokers });
    const name = freshTopic("version");
    for (const log of ["intents", "verdicts", "effects"])
      await createTopic(connection, `${name}.${log}`, { partitions: 1 });
    for (const log of ["intents", "effects"]) {
      const opened = await openKafkaLog(connection, `${name}.${log}`);
      await opened.append(0, [{ value: encodeGenesis(genesis) }]);
      await opened.close();
    }
    const verdicts = await openKafkaLog(connection, `${name}.verdicts`);
    onTestFinished(async () => {
      await verdicts.close();
      await connection.close();
    });
    return { name, verdicts };
  }

  it("with rules that this one does not know: its sequencer stops, says why, and decides nothing", async () => {
    const { name, verdicts } = await spaceWith({ ...createGenesis({ partitions: 1 }), rules: currentRules + 1 });
    const place = ["--brokers", brokers.join(","), "--space", name, "--view", temporaryFile("view.db")];
    const { code, stdout, stderr } = await seriatim(["sequencer", ...place]);
    expect({ code, stdout }).toEqual({ code: 70, stdout: "" });
    expect(stderr).toContain(`rules ${currentRules + 1}`);
    expect(stderr).toContain(`knows rules ${currentRules}`);
    expect((await verdicts.bounds(0)).end).toBe(0);
  });

  it("that does not admit the schema that a client writes: the client is refused, and a record of it is invalid", async () => {
    const space = await makeSpace(brokers);
    await sequence(space);
    const { coordinator, space: opened } = await join(space);
    const narrow = createGenesis({ partitions: 1 });
    const foreign = { ...narrow, schemas: narrow.schemas.filter(({ kind }) => kind !== "submit") };
    const submit = { ...emptyIntent, space: opened.genesis.space, id: "x", agent: "a" };
    expect(() => createCodec(foreign, sha256).encodeIntent(submit)).toThrow(/does not admit the submit schema/);

    const bytes = Buffer.from(opened.codec.encodeIntent(submit));
    // Another fingerprint: what a client of another version would send.
    bytes[2] = (bytes[2] ?? 0) ^ 0xff;
    await opened.append(0, bytes);
    const after = await coordinator.run({ agent: "a" }, (tx) => tx.put("k/1", 1));
    expect(after).toMatchObject({ outcome: "committed" });
    expect(opened.view.decision(0, 1)?.outcome).toMatchObject({ code: "invalid", reason: "schema_not_admitted" });
  });
});
