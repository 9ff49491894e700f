import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import avro from "avsc";
import { Failure } from "./failure.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { recordKinds, type AdmittedSchema, type RecordKind } from "./types.ts";
import { type WellFormed, wellFormed } from "./well-formed.ts";

/** Avro's marker of a single object, before the schema's fingerprint. */
const marker = Buffer.from([0xc3, 0x01]);

/** Marker and fingerprint. */
export const headerBytes = 10;

const require = createRequire(import.meta.url);

function load(kind: RecordKind | "genesis"): string {
  return readFileSync(require.resolve(`@seriatim/schemas/${kind}.avsc`), "utf8");
}

function parse(text: string): avro.Type {
  return avro.Type.forSchema(JSON.parse(text) as avro.Schema);
}

/** Where records are encoded before they are copied to their own length; it grows to the longest. */
let scratch = Buffer.allocUnsafeSlow(64 * 1024);

/** A kind of record in single-object encoding, as this version of Seriatim writes it. */
export class RecordSchema {
  readonly kind: RecordKind | "genesis";
  readonly type: avro.Type;
  /** The whole schema on one line. */
  readonly text: string;
  readonly header: Buffer;

  constructor(kind: RecordKind | "genesis") {
    const source = load(kind);
    this.kind = kind;
    this.text = JSON.stringify(JSON.parse(source));
    this.type = parse(source);
    this.header = Buffer.concat([marker, fingerprintOf(this.type)]);
  }

  encode(value: unknown): Buffer {
    let end = this.type.encode(value, scratch, headerBytes);
    if (end < 0) {
      // `end` says how many bytes are missing.
      scratch = Buffer.allocUnsafeSlow(scratch.length - end);
      end = this.type.encode(value, scratch, headerBytes);
    }
    this.header.copy(scratch);
    return Buffer.from(scratch.subarray(0, end));
  }
}

/** Reads records that were written with one admitted schema, into today's form. */
export class RecordReader {
  readonly schema: RecordSchema;
  readonly header: Buffer;
  readonly #isWellFormed: WellFormed;
  readonly #resolver: ReturnType<avro.Type["createResolver"]> | undefined;

  /** @throws Failure `unknown_rules` when records of `text` cannot be read as `schema`. */
  constructor(schema: RecordSchema, text: string) {
    this.schema = schema;
    try {
      const writer = parse(text);
      this.header = Buffer.concat([marker, fingerprintOf(writer)]);
      this.#isWellFormed = wellFormed(writer.schema() as Parameters<typeof wellFormed>[0]);
      this.#resolver = this.header.equals(schema.header) ? undefined : schema.type.createResolver(writer);
    } catch (cause) {
      throw new Failure(
        "unknown_rules",
        `the genesis admits a ${schema.kind} schema that this version of Seriatim cannot read: upgrade it`,
        { cause },
      );
    }
  }

  /** Undefined when the bytes after the header are not a record of this schema. */
  read(bytes: Buffer): unknown {
    if (!this.#isWellFormed(bytes, headerBytes)) return undefined;
    try {
      return this.schema.type.fromBuffer(bytes.subarray(headerBytes), this.#resolver);
    } catch {
      return undefined;
    }
  }
}

/** Made once for each schema: parsing takes longer than reading a thousand records. */
const readers = new Map<string, RecordReader>();

/** @throws Failure `unknown_rules`, as the constructor does. */
export function readerOf(schema: RecordSchema, text: string): RecordReader {
  const name = `${schema.kind} ${text}`;
  const known = readers.get(name);
  if (known !== undefined) return known;
  const made = new RecordReader(schema, text);
  readers.set(name, made);
  return made;
}

export const schemas = {
  genesis: new RecordSchema("genesis"),
  submit: new RecordSchema("submit"),
  cancel: new RecordSchema("cancel"),
  hold: new RecordSchema("hold"),
  expire: new RecordSchema("expire"),
  verdict: new RecordSchema("verdict"),
  claim: new RecordSchema("claim"),
  report: new RecordSchema("report"),
  decision: new RecordSchema("decision"),
} as const;

/** The schemas that this version writes, for a new genesis to admit. */
export function currentSchemas(): readonly AdmittedSchema[] {
  return recordKinds.map((kind) => ({ kind, text: schemas[kind].text }));
}

/** The marker and fingerprint as a map's key; undefined when the bytes are no single object. */
export function headerOf(bytes: Buffer): string | undefined {
  if (bytes.length < headerBytes || bytes[0] !== marker[0] || bytes[1] !== marker[1]) return undefined;
  return bytes.toString("latin1", 0, headerBytes);
}
