import { createRequire } from "node:module";
import type { NewRecord } from "@seriatim/log";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { crc32c } from "../../libs/log/src/kafka/crc32c.ts";
import { encodeBatch } from "../../libs/log/src/kafka/record-batch.ts";
import { sized } from "../../libs/log/src/kafka/records.ts";

/* Batches are held to what kafkajs makes of the same records. */

const require = createRequire(import.meta.url);

interface Encoder {
  readonly buffer: Buffer;
}

const encodeRecord = require("kafkajs/src/protocol/recordBatch/record/v0/index.js") as (record: object) => Encoder;
const { RecordBatch } = require("kafkajs/src/protocol/recordBatch/v0/index.js") as {
  readonly RecordBatch: (batch: object) => Promise<Encoder>;
};

async function byKafkajs(records: readonly NewRecord[], now: number): Promise<Buffer> {
  const encoded = records.map(({ value, headers = {} }, offsetDelta) =>
    encodeRecord({ key: null, value, headers, offsetDelta, timestampDelta: 0 }),
  );
  const times = { firstTimestamp: now, maxTimestamp: now };
  return (await RecordBatch({ ...times, lastOffsetDelta: records.length - 1, records: encoded })).buffer;
}

function ownBatch(records: readonly NewRecord[], now: number): Buffer {
  const bytes = records.reduce((sum, record) => sum + sized(record, "topic", Number.MAX_SAFE_INTEGER).bytes, 0);
  return encodeBatch(records, now, bytes);
}

const name = fc.string({ unit: "grapheme", maxLength: 70 }).filter((text) => text !== "__proto__");
const record: fc.Arbitrary<NewRecord> = fc.record(
  {
    value: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    headers: fc.dictionary(name, name, { maxKeys: 3, noNullPrototype: true }),
  },
  { requiredKeys: ["value"] },
);

describe("a batch of records", () => {
  it("has the bytes that kafkajs gives it", async () => {
    const records = fc.array(record, { minLength: 1, maxLength: 150 });
    await fc.assert(
      fc.asyncProperty(records, fc.integer({ min: 0, max: 2 ** 45 }), async (batch, now) => {
        expect(ownBatch(batch, now).toString("hex")).toBe((await byKafkajs(batch, now)).toString("hex"));
      }),
      { numRuns: 200 },
    );
  });

  it("has them too where lengths take several bytes", async () => {
    const records = [8191, 8192, 300_000].map((length) => ({ value: Buffer.alloc(length, length) }));
    const many = Array.from({ length: 9_000 }, (_, index) => ({ value: Buffer.from([index]) }));
    for (const batch of [records, many]) expect(ownBatch(batch, 1).equals(await byKafkajs(batch, 1))).toBe(true);
  });
});

describe("CRC-32C", () => {
  it("is Castagnoli's", () => {
    expect(crc32c(Buffer.from("123456789"), 0, 9)).toBe(0xe3069283);
    expect(crc32c(Buffer.from("..123456789.."), 2, 11)).toBe(0xe3069283);
  });
});
