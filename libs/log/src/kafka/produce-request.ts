import { assert } from "@seriatim/protocol";
import type { Broker } from "kafkajs";
import { changed, type Encoded } from "./exchange.ts";
import { toOffset } from "./records.ts";

/** Of a broker that has taken the batch. */
interface Answer {
  readonly topics: readonly {
    readonly partitions: readonly { readonly partition: number; readonly baseOffset: string }[];
  }[];
}

/** From the oldest that Kafka 4 takes to the newest that kafkajs knows, the body of the request is the same. */
const versions = { oldest: 3, newest: 8 };

export interface ProduceRequest {
  readonly topic: string;
  readonly partition: number;
  readonly batch: Buffer;
  /** How long the broker waits for its replicas, in ms. */
  readonly timeout: number;
}

/**
 * Has `broker` send a batch that is encoded already, acknowledged by all replicas in sync.
 * @returns the offset of the batch's first record
 */
export async function produce(broker: Broker, { topic, partition, batch, timeout }: ProduceRequest): Promise<number> {
  const body = encoded(bodyOf({ topic, partition, batch, timeout }));
  const sending = changed(broker, (exchange) => {
    const { request } = exchange;
    const { apiName, apiVersion } = request;
    const isKnown = apiVersion >= versions.oldest && apiVersion <= versions.newest;
    assert(apiName === "Produce" && isKnown, `kafkajs sends ${apiName} in version ${apiVersion}`);
    return { ...exchange, request: { ...request, encode: () => Promise.resolve(body) } };
  });
  const topicData = [{ topic, partitions: [{ partition, messages: [] }] }];
  const answer = (await sending.produce({ topicData, acks: -1, timeout })) as Answer;
  const own = answer.topics.flatMap(({ partitions }) => partitions).find((each) => each.partition === partition);
  assert(own !== undefined, "an acknowledged send names its first offset");
  return toOffset(own.baseOffset);
}

function encoded(buffer: Buffer): Encoded {
  return { buf: buffer, buffer, size: () => buffer.length };
}

function bodyOf({ topic, partition, batch, timeout }: ProduceRequest): Buffer {
  const name = Buffer.from(topic);
  const head = Buffer.alloc(2 + 2 + 4 + 4 + 2);
  head.writeInt16BE(-1, 0);
  head.writeInt16BE(-1, 2);
  head.writeInt32BE(timeout, 4);
  head.writeInt32BE(1, 8);
  head.writeInt16BE(name.length, 12);
  const place = Buffer.alloc(4 + 4 + 4);
  place.writeInt32BE(1, 0);
  place.writeInt32BE(partition, 4);
  place.writeInt32BE(batch.length, 8);
  return Buffer.concat([head, name, place, batch]);
}
