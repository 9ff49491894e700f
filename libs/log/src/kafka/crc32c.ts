const polynomial = 0x82f63b78;

/** Row n tells what a byte does to the checksum from n bytes further on, so that eight are taken at once. */
const rows: readonly Uint32Array[] = tables(8);
const row = (index: number): Uint32Array => rows[index] ?? new Uint32Array(0);
const [r0, r1, r2, r3] = [row(0), row(1), row(2), row(3)];
const [r4, r5, r6, r7] = [row(4), row(5), row(6), row(7)];

/** CRC-32C (Castagnoli), by which Kafka knows that a batch is whole. */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0xffffffff;
  let at = from;
  for (; at + 8 <= to; at += 8) {
    const [low, high] = [wordAt(bytes, at) ^ crc, wordAt(bytes, at + 4)];
    crc =
      of(r7, low) ^
      of(r6, low >>> 8) ^
      of(r5, low >>> 16) ^
      of(r4, low >>> 24) ^
      of(r3, high) ^
      of(r2, high >>> 8) ^
      of(r1, high >>> 16) ^
      of(r0, high >>> 24);
  }
  for (; at < to; at += 1) crc = of(r0, crc ^ (bytes[at] ?? 0)) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

function of(table: Uint32Array, byte: number): number {
  return table[byte & 0xff] ?? 0;
}

function wordAt(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24);
}

function tables(count: number): Uint32Array[] {
  const first = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ ((crc & 1) === 1 ? polynomial : 0);
    return crc >>> 0;
  });
  const made = [first];
  while (made.length < count) {
    const last = made.at(-1) ?? first;
    made.push(last.map((crc) => (crc >>> 8) ^ of(first, crc)));
  }
  return made;
}
