import type { Broker, KafkaMessage } from "kafkajs";
import type { LogRecord } from "../port.ts";
import { AnswerCursor } from "./answer-cursor.ts";
import { changed } from "./exchange.ts";
import { toRecord } from "./records.ts";

/** One partition's part of an answer to a fetch. */
export interface Fetched {
  readonly partition: number;
  /** In order, of whole batches: the first may lie below what was asked for. Control records are among them. */
  readonly records: readonly FetchedRecord[];
}

export interface FetchedRecord extends LogRecord {
  readonly isControl: boolean;
}

/** The newest that kafkajs knows, and what Kafka 4 takes. */
const fetchVersion = 11;

/** An answer as kafkajs decodes it. */
interface Decoded {
  readonly responses: readonly { readonly partitions: readonly DecodedPartition[] }[];
}

interface DecodedPartition {
  readonly partition: number;
  readonly messages: readonly (KafkaMessage & { readonly isControlRecord?: boolean })[];
}

/** An answer that was read here. `clientSideThrottleTime` is for kafkajs: for so many ms it sends nothing more. */
export interface Read {
  readonly clientSideThrottleTime: number;
  readonly fetched: readonly Fetched[];
}

type FetchRequest = Parameters<Broker["fetch"]>[0];

/** @throws what kafkajs makes of an answer that refuses. */
export async function fetchFrom(broker: Broker, request: FetchRequest): Promise<readonly Fetched[]> {
  const fetching = changed(broker, (exchange) => {
    if (exchange.request.apiVersion !== fetchVersion) return exchange;
    const { decode, parse } = exchange.response;
    const own = {
      decode: async (answer: Buffer): Promise<unknown> => readAnswer(answer) ?? (await decode(answer)),
      parse: async (answer: object): Promise<unknown> => ("fetched" in answer ? answer : parse(answer)),
    };
    return { ...exchange, response: own };
  });
  const answer = (await fetching.fetch(request)) as Read | Decoded;
  if ("fetched" in answer) return answer.fetched;
  return answer.responses.flatMap(({ partitions }) => partitions.map(translated));
}

function translated({ partition, messages }: DecodedPartition): Fetched {
  const records = messages.map((message) => ({ ...toRecord(message), isControl: message.isControlRecord === true }));
  return { partition, records };
}

const attributesOf = { compression: 0x07, logAppendTime: 0x08, control: 0x20 };
/** From the batch's length to its first record. */
const batchHead = 49;
const magic = 2;

/**
 * Reads an answer to a fetch, in a fifth of the time that kafkajs takes.
 * @returns undefined for what is left to kafkajs: errors, compressed batches, and those of brokers before Kafka 0.11
 */
export function readAnswer(answer: Buffer): Read | undefined {
  const cursor = new AnswerCursor(answer);
  const clientSideThrottleTime = cursor.int32();
  if (cursor.int16() !== 0) return undefined;
  cursor.skip(4);
  const fetched: Fetched[] = [];
  for (let topics = cursor.int32(); topics > 0; topics -= 1) {
    cursor.skip(cursor.int16());
    for (let partitions = cursor.int32(); partitions > 0; partitions -= 1) {
      const found = readPartition(cursor);
      if (found === undefined) return undefined;
      fetched.push(found);
    }
  }
  return { clientSideThrottleTime, fetched };
}

function readPartition(cursor: AnswerCursor): Fetched | undefined {
  const partition = cursor.int32();
  if (cursor.int16() !== 0) return undefined;
  cursor.skip(8 + 8 + 8);
  cursor.skip(16 * Math.max(0, cursor.int32()));
  cursor.skip(4);
  const end = Math.max(0, cursor.int32()) + cursor.at;
  const records: FetchedRecord[] = [];
  // The last batch may be cut off: it comes whole with the next fetch.
  while (end - cursor.at >= 12) {
    const base = cursor.int64();
    const length = cursor.int32();
    const batchEnd = cursor.at + length;
    if (batchEnd > end) break;
    if (length < batchHead || !readBatch(cursor, base, records)) return undefined;
    cursor.at = batchEnd;
  }
  cursor.at = end;
  return { partition, records };
}

/** @returns whether it is a batch that can be read here. */
function readBatch(cursor: AnswerCursor, base: number, records: FetchedRecord[]): boolean {
  cursor.skip(4);
  if (cursor.int8() !== magic) return false;
  cursor.skip(4);
  const attributes = cursor.int16();
  if ((attributes & attributesOf.compression) !== 0) return false;
  cursor.skip(4);
  const hasAppendTime = (attributes & attributesOf.logAppendTime) !== 0;
  // The writer's own time stays in the batch beside the log's: a foreign one, in ns, may be beyond what a number holds.
  if (hasAppendTime) cursor.skip(8);
  const first = hasAppendTime ? 0 : cursor.int64();
  const latest = cursor.int64();
  cursor.skip(8 + 2 + 4);
  const appendTime = hasAppendTime ? latest : undefined;
  const isControl = (attributes & attributesOf.control) !== 0;
  for (let count = cursor.int32(); count > 0; count -= 1) {
    const end = cursor.varint() + cursor.at;
    cursor.skip(1);
    const time = appendTime ?? first + cursor.varint();
    if (appendTime !== undefined) cursor.varint();
    const offset = base + cursor.varint();
    cursor.bytes();
    records.push({ offset, time, value: cursor.bytes() ?? nothing, headers: readHeaders(cursor), isControl });
    cursor.at = end;
  }
  return true;
}

const nothing = new Uint8Array(0);
const noHeaders: LogRecord["headers"] = {};

/** Of a name that comes twice, the last. Foreign writers may leave a header without a value. */
function readHeaders(cursor: AnswerCursor): LogRecord["headers"] {
  let count = cursor.varint();
  if (count === 0) return noHeaders;
  const headers: Record<string, string> = {};
  for (; count > 0; count -= 1) {
    const name = cursor.text();
    headers[name] = cursor.text();
  }
  return headers;
}
