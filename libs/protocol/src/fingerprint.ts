import type { Type } from "avsc";

const empty = 0xc15d213aa4d7a795n;

const table: readonly bigint[] = Array.from({ length: 256 }, (_, index) => {
  let entry = BigInt(index);
  for (let bit = 0; bit < 8; bit += 1) entry = (entry >> 1n) ^ (empty & -(entry & 1n));
  return entry;
});

/** CRC-64-AVRO of `text`, least byte first, as Avro's single-object encoding has it. */
export function crc64(text: string): Buffer {
  let crc = empty;
  for (const byte of Buffer.from(text, "utf8")) crc = (crc >> 8n) ^ (table[Number((crc ^ BigInt(byte)) & 0xffn)] ?? 0n);
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(crc);
  return bytes;
}

/** The fingerprint of a schema's Parsing Canonical Form, which leaves out docs and defaults. */
export function fingerprintOf(type: Type): Buffer {
  return crc64(JSON.stringify(type.schema()));
}
