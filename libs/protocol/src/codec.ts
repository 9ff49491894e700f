import type { Bytes } from "./keys.ts";
import type { AdmittedSchema, Digest, Genesis, Hash, Intent, InvalidReason, Verdict } from "./types.ts";

/** What an intents record holds, as far as it can be read under the genesis. */
export type DecodedRecord =
  Intent | { readonly kind: "genesis" } | { readonly kind: "invalid"; readonly reason: InvalidReason };

export interface EncodedVerdict {
  readonly bytes: Uint8Array;
  readonly chain: Digest;
}

/** Encodes and decodes the records of one space, by the schemas that its genesis admits. Synchronous and pure. */
export interface RecordCodec {
  readonly genesis: Genesis;
  encodeIntent(intent: Intent): Uint8Array;
  decodeIntent(bytes: Uint8Array): DecodedRecord;
  encodeVerdict(verdict: Omit<Verdict, "chain">): EncodedVerdict;
  /** Undefined when the record is torn, foreign, or its chain hash is not that of its bytes. */
  decodeVerdict(bytes: Uint8Array): Verdict | undefined;
}

export declare function createCodec(genesis: Genesis, hash: Hash): RecordCodec;
export declare function encodeGenesis(genesis: Genesis): Uint8Array;
/** @throws Failure `not_a_space` or `unknown_rules`. */
export declare function decodeGenesis(bytes: Uint8Array): Genesis;
export declare function currentSchemas(): readonly AdmittedSchema[];
export declare const emptySpace: Bytes;
