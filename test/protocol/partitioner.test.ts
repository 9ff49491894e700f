import { murmur2, partitionOf, toBytes } from "@seriatim/protocol";
import { Partitioners } from "kafkajs";
import fc from "fast-check";
import { expect, it } from "vitest";

it.each([
  ["21", -973932308],
  ["foobar", -790332482],
  ["a-little-bit-long-string", -985981536],
  ["a-little-bit-longer-string", -1486304829],
  ["lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971],
  ["abc", 479470107],
])("murmur2 of %j is Kafka's", (text, expected) => {
  expect(murmur2(toBytes(text))).toBe(expected);
});

it("puts a partition key where Kafka's own partitioner does", () => {
  const partitioner = Partitioners.DefaultPartitioner();
  fc.assert(
    fc.property(
      fc.string({ minLength: 1 }).filter((text) => text.isWellFormed()),
      fc.integer({ min: 1, max: 64 }),
      (text, partitions) => {
        const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
          partitionErrorCode: 0,
          partitionId,
          leader: 0,
          replicas: [],
          isr: [],
        }));
        const expected = partitioner({ topic: "t", partitionMetadata, message: { key: text, value: null } });
        expect(partitionOf(toBytes(text), partitions)).toBe(expected);
      },
    ),
  );
});
