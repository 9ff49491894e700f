import { createRequire } from "node:module";
import { gzipSync } from "node:zlib";
import type { NewRecord } from "@seriatim/log";
import fc from "fast-check";
import type { KafkaMessage } from "kafkajs";
import { describe, expect, it } from "vitest";
import { readAnswer, type Fetched } from "../../libs/log/src/kafka/fetch-answer.ts";
import { encodeBatch } from "../../libs/log/src/kafka/record-batch.ts";
import { sized, toRecord } from "../../libs/log/src/kafka/records.ts";

/* Answers are read as kafkajs reads them. */

interface Decoded {
  readonly responses: readonly {
    readonly partitions: readonly {
      readonly partition: number;
      readonly messages: readonly (KafkaMessage & { readonly isControlRecord: boolean })[];
    }[];
  }[];
}

const require = createRequire(import.meta.url);
const { decode } = require("kafkajs/src/protocol/requests/fetch/v11/response.js") as {
  readonly decode: (answer: Buffer) => Promise<Decoded>;
};

interface Batch {
  readonly base: number;
  readonly time: number;
  /** Of the log, in place of the record's own. */
  readonly appendTime: number | undefined;
  readonly isControl: boolean;
  readonly records: readonly NewRecord[];
}

interface Partition {
  readonly partition: number;
  readonly error: number;
  readonly batches: readonly Buffer[];
}

const attributesAt = 21;

function encoded({ base, time, appendTime, isControl, records }: Batch): Buffer {
  const bytes = records.reduce((sum, record) => sum + sized(record, "topic", Number.MAX_SAFE_INTEGER).bytes, 0);
  const batch = encodeBatch(records, time, bytes);
  batch.writeBigInt64BE(BigInt(base), 0);
  batch.writeInt16BE((appendTime === undefined ? 0 : 8) | (isControl ? 0x20 : 0), attributesAt);
  if (appendTime !== undefined) batch.writeBigInt64BE(BigInt(appendTime), attributesAt + 14);
  return batch;
}

function int(bytes: 2 | 4 | 8, value: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value));
  else buffer.writeIntBE(value, 0, bytes);
  return buffer;
}

function partitionBytes({ partition, error, batches }: Partition, aborted: number): Buffer {
  const records = Buffer.concat(batches);
  const transactions = Array.from({ length: aborted }, () => [int(8, 7), int(8, 9)]).flat();
  const head = [int(4, partition), int(2, error), int(8, 99), int(8, 99), int(8, 0), int(4, aborted), ...transactions];
  return Buffer.concat([...head, int(4, -1), int(4, records.length), records]);
}

function answerOf(partitions: readonly Partition[], { throttle = 0, aborted = 0 } = {}): Buffer {
  const topic = [int(2, 5), Buffer.from("topic"), int(4, partitions.length)];
  const body = partitions.map((partition) => partitionBytes(partition, aborted));
  return Buffer.concat([int(4, throttle), int(2, 0), int(4, 0), int(4, 1), ...topic, ...body]);
}

async function byKafkajs(answer: Buffer): Promise<Fetched[]> {
  const { responses } = await decode(answer);
  return responses
    .flatMap((response) => response.partitions)
    .map(({ partition, messages }) => ({
      partition,
      records: messages.map((message) => ({ ...toRecord(message), isControl: message.isControlRecord })),
    }));
}

const name = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => text !== "__proto__");
const record: fc.Arbitrary<NewRecord> = fc.record(
  {
    value: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    headers: fc.dictionary(name, name, { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ["value"] },
);
const batch: fc.Arbitrary<Batch> = fc.record({
  base: fc.integer({ min: 0, max: 2 ** 48 }),
  time: fc.integer({ min: 0, max: 2 ** 45 }),
  appendTime: fc.option(fc.integer({ min: 0, max: 2 ** 45 }), { nil: undefined }),
  isControl: fc.boolean(),
  records: fc.array(record, { minLength: 1, maxLength: 80 }),
});
const partitions = fc.array(
  fc.record({ partition: fc.nat(99), error: fc.constant(0), batches: fc.array(batch.map(encoded), { maxLength: 3 }) }),
  { maxLength: 3 },
);

/** So many bytes less of the last batch. */
function cutOff(found: readonly Partition[], missing: number): Partition[] {
  return found.map((partition, index) => {
    const last = partition.batches.at(-1);
    if (index < found.length - 1 || last === undefined) return partition;
    const rest = last.subarray(0, Math.max(0, last.length - missing));
    return { ...partition, batches: [...partition.batches.slice(0, -1), rest] };
  });
}

/** Where less than this is left of a batch, kafkajs fails. */
const legibleBytes = 17;

function withoutStump(partition: Partition): Partition {
  return { ...partition, batches: partition.batches.filter(({ length }) => length >= legibleBytes) };
}

const one: Batch = { base: 5, time: 1, appendTime: 2, isControl: false, records: [{ value: Buffer.from("a") }] };

describe("an answer to a fetch", () => {
  it("is read as kafkajs reads it, its last batch whole or cut off", async () => {
    const cut = fc.option(fc.nat(300), { nil: 0 });
    await fc.assert(
      fc.asyncProperty(partitions, cut, fc.nat(2), fc.nat(500), async (found, missing, aborted, throttle) => {
        const short = cutOff(found, missing);
        const answer = answerOf(short, { throttle, aborted });
        const read = readAnswer(answer);
        expect(read?.clientSideThrottleTime).toBe(throttle);
        const legible = answerOf(short.map(withoutStump), { throttle, aborted });
        expect(read?.fetched).toEqual(await byKafkajs(legible));
      }),
      { numRuns: 300 },
    );
  });

  it("is left to kafkajs where it refuses, or holds what is compressed or of an older format", () => {
    const whole = encoded(one);
    const compressed = Buffer.concat([whole.subarray(0, 61), gzipSync(whole.subarray(61))]);
    compressed.writeInt16BE(1, attributesAt);
    compressed.writeInt32BE(compressed.length - 12, 8);
    const older = Buffer.from(whole);
    older.writeInt8(1, 16);
    const usual = { partition: 0, error: 0 };
    expect(readAnswer(answerOf([{ ...usual, batches: [whole] }]))).toBeDefined();
    expect(readAnswer(answerOf([{ ...usual, error: 1, batches: [] }]))).toBeUndefined();
    expect(readAnswer(answerOf([{ ...usual, batches: [whole, compressed] }]))).toBeUndefined();
    expect(readAnswer(answerOf([{ ...usual, batches: [older] }]))).toBeUndefined();
  });

  it("has the log's time, whatever time a foreign writer has set", () => {
    const whole = encoded(one);
    for (const time of [1_764_460_800_000_000_000n, -(2n ** 63n)]) {
      whole.writeBigInt64BE(time, attributesAt + 6);
      const read = readAnswer(answerOf([{ partition: 0, error: 0, batches: [whole] }]));
      expect(read?.fetched[0]?.records).toMatchObject([{ offset: 5, time: 2 }]);
    }
  });

  it("that ends within a number, or a record, is none", () => {
    const answer = answerOf([{ partition: 0, error: 0, batches: [encoded(one)] }]);
    for (let length = 0; length < answer.length; length += 1)
      expect(() => readAnswer(answer.subarray(0, length))).toThrow(RangeError);
  });
});
