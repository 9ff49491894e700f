import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { EmbeddedSpace } from "../../../libs/seriatim/src/embedded-space.ts";
import { initKafka } from "../../../libs/seriatim/src/kafka-init.ts";
import { KafkaLogs, openView } from "../../../libs/seriatim/src/kafka-logs.ts";
import { KafkaSpace } from "../../../libs/seriatim/src/kafka-space.ts";
import { sha256 } from "@seriatim/protocol";
import { Sequencer } from "@seriatim/sequencer";

/** A space to work on. */
export interface Place {
  /** As the victim opens it. */
  readonly address: object;
  readonly space: EmbeddedSpace | KafkaSpace;
  end(): Promise<void>;
}

export async function filePlace(folder: string): Promise<Place> {
  const file = join(folder, "state.db");
  const space = await EmbeddedSpace.open(file, { socket: false });
  return { address: { file }, space, end: () => space.close() };
}

/** With a sequencer in this process: what is killed here are workers. */
export async function kafkaPlace(folder: string, brokers: readonly string[]): Promise<Place> {
  const space = `effects-${randomUUID()}`;
  await initKafka({ brokers, space, partitions: 2, replication: 1 });
  const logs = await KafkaLogs.open({ brokers, space });
  const { file, view } = await openView(join(folder, "sequencer.db"), logs);
  const { intents, verdicts, codec } = logs;
  const sequencer = await Sequencer.open({ intents, verdicts, codec, view, file, hash: sha256 });
  const stop = new AbortController();
  const running = sequencer.run(stop.signal);
  const participant = await KafkaSpace.open({ brokers, space, view: join(folder, "view.db") });
  return {
    address: { brokers, space },
    space: participant,
    end: async () => {
      await participant.close();
      stop.abort();
      await running.catch(() => undefined);
      await logs.close();
      file.close();
    },
  };
}
