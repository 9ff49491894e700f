import kafkajs, { type Cluster, type Consumer, type Kafka } from "kafkajs";
import { disconnected } from "./renewed.ts";

// kafkajs is CommonJS in a form whose names Node does not see.
const { PartitionAssigners } = kafkajs;

/**
 * What kafkajs knows of a cluster, to fetch and produce with. It shows that only to what assigns the partitions of a
 * consumer's group; no group is joined here, so that reading needs no coordinator: one that has failed stops every group,
 * for as long as its broker runs.
 */
export class ClusterClient {
  readonly cluster: Cluster;
  readonly #consumer: Consumer;

  constructor(kafka: Kafka, clientId: string) {
    let found: Cluster | undefined;
    this.#consumer = kafka.consumer({
      groupId: `${clientId}-read`,
      partitionAssigners: [
        (given) => {
          found = given.cluster;
          return PartitionAssigners.roundRobin(given);
        },
      ],
      allowAutoTopicCreation: false,
      // Otherwise a log would end where somebody else's open transaction begins.
      readUncommitted: true,
      // Repetition is the reader's.
      retry: { retries: 0 },
    });
    if (found === undefined) throw new Error("kafkajs made a consumer without asking who assigns its partitions");
    this.cluster = found;
  }

  static async connect(kafka: Kafka, clientId: string): Promise<ClusterClient> {
    const client = new ClusterClient(kafka, clientId);
    try {
      await client.cluster.connect();
      return client;
    } catch (error) {
      void client.disconnect();
      throw error;
    }
  }

  /** The partitions by the node that leads them, of a topic that the cluster was asked about. @throws where one is not known. */
  leaders(
    topic: string,
    partitions: readonly number[],
  ): readonly (readonly [nodeId: string, led: readonly number[]])[] {
    const leaders = Object.entries(this.cluster.findLeaderForPartitions(topic, [...partitions]));
    const known = new Set(leaders.flatMap(([, led]) => led));
    const unknown = partitions.find((partition) => !known.has(partition));
    if (unknown !== undefined) throw new Error(`nobody knows of partition ${unknown} of ${topic}`);
    return leaders;
  }

  /** Never rejects. What is asked of the cluster meanwhile fails. */
  async disconnect(): Promise<void> {
    await disconnected(this.#consumer);
  }
}
