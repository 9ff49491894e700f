import { isUtf8 } from "node:buffer";

/**
 * A walk over Avro bytes before they are decoded. `avsc` takes an array's count at its word and allocates for it, and
 * replaces what is not UTF-8: a hostile record would end the sequencer's memory, or stand for two texts. What passes
 * here decodes in time and memory bounded by its length.
 */
export type WellFormed = (bytes: Uint8Array, from: number) => boolean;

type Schema = string | SchemaObject | readonly Schema[];
interface SchemaObject {
  readonly type: string | Schema;
  readonly name?: string;
  readonly fields?: readonly { readonly type: Schema }[];
  readonly items?: Schema;
  readonly values?: Schema;
  readonly symbols?: readonly string[];
  readonly size?: number;
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

/** Moves the cursor over one value; false when it is not one. */
type Walk = (cursor: Cursor) => boolean;

/** A walker for a schema as `avsc` writes it out: names in full, each defined at its first use. */
export function wellFormed(schema: Schema): WellFormed {
  const walk = compile(schema, new Map());
  return (bytes, from) => {
    const cursor = { bytes, at: from };
    return walk(cursor) && cursor.at === bytes.length;
  };
}

function compile(schema: Schema, named: Map<string, Walk>): Walk {
  if (typeof schema === "string") return primitive(schema, named);
  if (isUnion(schema)) return union(schema.map((branch) => compile(branch, named)));
  if (typeof schema.type !== "string") return compile(schema.type, named);
  switch (schema.type) {
    case "record":
      return record(schema, named);
    case "enum":
      return name(schema, named, index(schema.symbols?.length ?? 0));
    case "fixed":
      return name(schema, named, skip(schema.size ?? 0));
    case "array":
      return blocks(compile(schema.items ?? "null", named));
    case "map": {
      const value = compile(schema.values ?? "null", named);
      return blocks((cursor) => text(cursor) && value(cursor));
    }
    default:
      return primitive(schema.type, named);
  }
}

function isUnion(schema: Schema): schema is readonly Schema[] {
  return Array.isArray(schema);
}

function primitive(type: string, named: Map<string, Walk>): Walk {
  switch (type) {
    case "null":
      return () => true;
    case "boolean":
      return (cursor) => (cursor.bytes[cursor.at++] ?? 2) <= 1;
    case "int":
      return (cursor) => within(readLong(cursor), 0x7fffffff);
    case "long":
      return (cursor) => within(readLong(cursor), Number.MAX_SAFE_INTEGER);
    case "float":
      return skip(4);
    case "double":
      return skip(8);
    case "bytes":
      return (cursor) => chunk(cursor) !== undefined;
    case "string":
      return text;
    default: {
      const walk = named.get(type);
      if (walk === undefined) throw new TypeError(`schema names the type ${type} before defining it`);
      return walk;
    }
  }
}

function name(schema: SchemaObject, named: Map<string, Walk>, walk: Walk): Walk {
  if (schema.name !== undefined) named.set(schema.name, walk);
  return walk;
}

function record(schema: SchemaObject, named: Map<string, Walk>): Walk {
  const fields: Walk[] = [];
  const walk = name(schema, named, (cursor) => fields.every((field) => field(cursor)));
  for (const field of schema.fields ?? []) fields.push(compile(field.type, named));
  return walk;
}

function union(branches: readonly Walk[]): Walk {
  return (cursor) => branches[readLong(cursor)]?.(cursor) ?? false;
}

function index(count: number): Walk {
  return (cursor) => {
    const value = readLong(cursor);
    return value >= 0 && value < count;
  };
}

function skip(length: number): Walk {
  return (cursor) => (cursor.at += length) <= cursor.bytes.length;
}

/** Blocks of an array or map. A count above the bytes left is a lie: no item of our schemas takes less than a byte. */
function blocks(item: Walk): Walk {
  return (cursor) => {
    for (;;) {
      let count = readLong(cursor);
      if (count === 0) return true;
      if (count < 0) {
        count = -count;
        if (readLong(cursor) < 0) return false;
      }
      if (!(count <= cursor.bytes.length - cursor.at)) return false;
      for (; count > 0; count -= 1) if (!item(cursor)) return false;
    }
  };
}

function chunk(cursor: Cursor): Uint8Array | undefined {
  const length = readLong(cursor);
  const from = cursor.at;
  if (!(length >= 0 && length <= cursor.bytes.length - from)) return undefined;
  cursor.at += length;
  return cursor.bytes.subarray(from, cursor.at);
}

function text(cursor: Cursor): boolean {
  const bytes = chunk(cursor);
  return bytes !== undefined && isUtf8(bytes);
}

function within(value: number, most: number): boolean {
  return value >= -most - 1 && value <= most;
}

/** A zigzag varint; NaN when it is torn or above what a double holds exactly. NaN fails every comparison above. */
function readLong(cursor: Cursor): number {
  let value = 0;
  let scale = 1;
  for (;;) {
    const byte = cursor.bytes[cursor.at++];
    if (byte === undefined || scale > 2 ** 49) return Number.NaN;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
    scale *= 0x80;
  }
  if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
