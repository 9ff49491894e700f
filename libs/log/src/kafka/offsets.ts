import { Failure } from "@seriatim/protocol";
import type { Bounds } from "../port.ts";
import type { KafkaConnection } from "./connection.ts";
import { isUnknownTopic } from "./errors.ts";
import { toOffset } from "./records.ts";

/**
 * The bounds of every partition. While somebody else's transaction is open on a partition its end is where that began,
 * for kafkajs can't ask otherwise.
 * @throws Failure `log_changed` when the topic is gone; `unavailable`
 */
export async function partitionBounds(
  connection: KafkaConnection,
  topic: string,
): Promise<ReadonlyMap<number, Bounds>> {
  try {
    return await connection.ask(`read the offsets of topic ${topic}`, async (admin) => {
      const found = await admin.fetchTopicOffsets(topic);
      return new Map(
        found.map(({ partition, low, high }) => [partition, { start: toOffset(low), end: toOffset(high) }]),
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
