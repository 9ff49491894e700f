const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Undefined when the bytes are no JSON text in UTF-8. */
export function decodeJson(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(utf8.decode(bytes)) };
  } catch {
    return undefined;
  }
}

export interface EncodedResult {
  readonly result: Uint8Array | null;
  /** Why it is not kept, where it could not be. */
  readonly unkept?: string;
}

const defaultBytes = 64 * 1024;

/**
 * What a handler returned, as the log keeps it. The call is made, so what cannot be kept is no failure of it: it is left
 * out, with the reason.
 */
export function encodeJson(value: unknown, mostBytes = defaultBytes): EncodedResult {
  if (value === undefined) return { result: null };
  try {
    const text: string | undefined = JSON.stringify(value);
    if (text === undefined) return { result: null, unkept: `a ${typeof value} is no JSON` };
    const result = Buffer.from(text, "utf8");
    if (result.length <= mostBytes) return { result };
    return { result: null, unkept: `it has ${result.length} bytes; at most ${mostBytes} are kept` };
  } catch (error) {
    return { result: null, unkept: error instanceof Error ? error.message : String(error) };
  }
}
