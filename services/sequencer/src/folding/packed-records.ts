import type { Offset } from "@seriatim/protocol";

/** Records of one partition in few buffers, which pass to another thread without being copied once more. */
export interface PackedRecords {
  readonly partition: number;
  readonly offsets: Float64Array<ArrayBuffer>;
  /** Where each record ends in `values`. */
  readonly ends: Uint32Array<ArrayBuffer>;
  readonly values: Uint8Array<ArrayBuffer>;
}

export interface PackedRecord {
  readonly at: Offset;
  readonly value: Uint8Array;
}

export function pack(partition: number, records: readonly PackedRecord[]): PackedRecords {
  let bytes = 0;
  for (const { value } of records) bytes += value.length;
  const offsets = new Float64Array(records.length);
  const ends = new Uint32Array(records.length);
  const values = new Uint8Array(bytes);
  let index = 0;
  let end = 0;
  for (const { at, value } of records) {
    values.set(value, end);
    end += value.length;
    offsets[index] = at;
    ends[index] = end;
    index += 1;
  }
  return { partition, offsets, ends, values };
}

/** What of it is handed over, and is gone here then. */
export function transferred({ offsets, ends, values }: PackedRecords): ArrayBuffer[] {
  return [offsets.buffer, ends.buffer, values.buffer];
}

export function unpack({ offsets, ends, values }: PackedRecords): PackedRecord[] {
  const records: PackedRecord[] = [];
  let from = 0;
  for (const [index, end] of ends.entries()) {
    records.push({ at: offsets[index] ?? 0, value: values.subarray(from, end) });
    from = end;
  }
  return records;
}
