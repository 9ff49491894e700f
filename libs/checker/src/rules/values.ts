/** What bytes that are no JSON begin with. */
const rawMark = 0x00;

/** A value as agents write them: JSON, or bytes behind a mark; the bytes themselves where they are neither. */
export function valueOf(bytes: Uint8Array | null): unknown {
  if (bytes === null) return undefined;
  if (bytes[0] === rawMark) return new Uint8Array(bytes.subarray(1));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new Uint8Array(bytes);
  }
}
