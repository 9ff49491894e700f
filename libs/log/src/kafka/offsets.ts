import { Failure } from "@seriatim/protocol";
import type { Cluster } from "kafkajs";
import type { Bounds } from "../port.ts";
import type { KafkaConnection } from "./connection.ts";
import { isUnknownTopic } from "./errors.ts";
import { toOffset } from "./records.ts";

/**
 * The bounds of every partition, whatever transactions of others are open on them.
 * @throws Failure `log_changed` when the topic is gone; `unavailable`
 */
export async function partitionBounds(
  connection: KafkaConnection,
  topic: string,
): Promise<ReadonlyMap<number, Bounds>> {
  try {
    return await connection.askCluster(`read the offsets of topic ${topic}`, async ({ cluster }) => {
      await cluster.addTargetTopic(topic);
      await cluster.refreshMetadataIfNecessary();
      // In this order, so that no log seems to begin after its end.
      const starts = await offsetsOf(cluster, topic, true);
      const ends = await offsetsOf(cluster, topic, false);
      return new Map(
        [...starts].map(([partition, start]) => [partition, { start, end: ends.get(partition) ?? start }]),
      );
    });
  } catch (error) {
    if (!(error instanceof Failure) || !isUnknownTopic(error.cause)) throw error;
    throw new Failure(
      "log_changed",
      `Topic ${topic} is gone. Bring it back, or make the space anew with seriatim init.`,
      {
        cause: error.cause,
      },
    );
  }
}

/** Of the first record of each partition, or of the next. */
async function offsetsOf(
  cluster: Cluster,
  topic: string,
  fromBeginning: boolean,
): Promise<ReadonlyMap<number, number>> {
  const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => ({ partition: partitionId }));
  const found = await cluster.fetchTopicsOffset([{ topic, partitions, fromBeginning }]);
  return new Map(
    found.flatMap((each) => each.partitions).map(({ partition, offset }) => [partition, toOffset(offset)]),
  );
}
