import { bytesOf, type Bytes, type RecordCodec } from "@seriatim/protocol";

/**
 * A codec for all processes of a simulated space: what one of them has decoded is decoded for the others, since it
 * follows from the bytes alone.
 */
export function sharedCodec(codec: RecordCodec): RecordCodec {
  return {
    ...codec,
    decodeIntent: remembering((bytes) => codec.decodeIntent(bytes)),
    decodeVerdict: remembering((bytes) => codec.decodeVerdict(bytes)),
  };
}

function remembering<T>(decode: (bytes: Uint8Array) => T): (bytes: Uint8Array) => T {
  const known = new Map<Bytes, T>();
  return (bytes) => {
    const text = bytesOf(bytes);
    const found = known.get(text);
    if (found !== undefined) return found;
    const decoded = decode(bytes);
    known.set(text, decoded);
    return decoded;
  };
}
