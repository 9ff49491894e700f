import { randomBytes } from "node:crypto";
import { asBuffer } from "./buffers.ts";
import { Failure } from "./failure.ts";
import { bufferOf, bytesOf, type Bytes } from "./keys.ts";
import { checkGenesis, defaultLimits } from "./limits.ts";
import { currentSchemas, headerOf, RecordReader, schemas } from "./schemas.ts";
import { recordKinds, type AdmittedSchema, type Genesis, type Limits } from "./types.ts";

/** The version of the rules that this version of Seriatim judges by. */
export const currentRules = 2;

interface WireGenesis {
  readonly space: Buffer;
  readonly rules: number;
  readonly partitions: number;
  readonly limits: Readonly<Record<string, number>>;
  readonly schemas: readonly { readonly kind: string; readonly text: string }[];
}

const reader = new RecordReader(schemas.genesis, schemas.genesis.text);
const genesisHeader = schemas.genesis.header.toString("latin1");
const limitNames = Object.keys(defaultLimits).toSorted();

/**
 * A genesis with a new random identity, today's rules and schemas, and the default limits but for those given.
 * @throws Failure `invalid_argument` naming a limit that is out of bounds.
 */
export function createGenesis(options: { readonly partitions: number; readonly limits?: Partial<Limits> }): Genesis {
  const genesis: Genesis = {
    kind: "genesis",
    space: bytesOf(randomBytes(16)),
    rules: currentRules,
    partitions: options.partitions,
    limits: { ...defaultLimits, ...options.limits },
    schemas: currentSchemas(),
  };
  checkGenesis(genesis);
  return genesis;
}

export function encodeGenesis(genesis: Genesis): Uint8Array {
  const limits = Object.fromEntries(Object.entries(genesis.limits).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return schemas.genesis.encode({ ...genesis, limits, space: bufferOf(genesis.space) });
}

/** Whether a record is a genesis, by its header. */
export function isGenesis(bytes: Uint8Array): boolean {
  return headerOf(asBuffer(bytes)) === genesisHeader;
}

/**
 * Reads a partition's first record.
 * @throws Failure `not_a_space` when it is no genesis; `unknown_rules` when it names rules, limits or kinds of record
 *   that this version does not know.
 */
export function decodeGenesis(bytes: Uint8Array): Genesis {
  const wire = isGenesis(bytes) ? (reader.read(asBuffer(bytes)) as WireGenesis | undefined) : undefined;
  if (wire === undefined)
    throw new Failure("not_a_space", "the first record of this log is no genesis: it was not made by `seriatim init`");
  if (wire.rules !== currentRules)
    throw new Failure(
      "unknown_rules",
      `the space is judged by rules ${wire.rules}; this version of Seriatim knows rules ${currentRules}: ${remedyFor(wire.rules)}`,
    );
  const genesis: Genesis = {
    kind: "genesis",
    space: bytesOf(wire.space),
    rules: wire.rules,
    partitions: wire.partitions,
    limits: limitsOf(wire.limits),
    schemas: wire.schemas.map(admitted),
  };
  return checked(genesis);
}

function remedyFor(rules: number): string {
  if (rules > currentRules) return "upgrade it";
  return "run the version that the space was made with, or make a new space and write there what is to be kept";
}

/** A genesis that no version would make promises nothing: its verdicts might not fit, or its state not be bounded. */
function checked(genesis: Genesis): Genesis {
  try {
    checkGenesis(genesis);
    return genesis;
  } catch (cause) {
    const fault = cause instanceof Error ? cause.message : String(cause);
    throw new Failure("not_a_space", `the genesis of this log is not one that Seriatim makes: ${fault}`, { cause });
  }
}

function limitsOf(limits: Readonly<Record<string, number>>): Limits {
  const names = Object.keys(limits).toSorted();
  if (names.join() !== limitNames.join())
    throw new Failure(
      "unknown_rules",
      `the genesis sets the limits ${names.join(", ")}; rules ${currentRules} have ${limitNames.join(", ")}: run another version of Seriatim`,
    );
  return Object.fromEntries(Object.entries(limits)) as unknown as Limits;
}

function admitted({ kind, text }: WireGenesis["schemas"][number]): AdmittedSchema {
  const known = recordKinds.find((each) => each === kind);
  if (known !== undefined) return { kind: known, text };
  throw new Failure(
    "unknown_rules",
    `the genesis admits records of the kind ${JSON.stringify(kind)}, which this version of Seriatim does not know: upgrade it`,
  );
}

/** A space's identity as people read it: a UUID. */
export function spaceName(space: Bytes): string {
  const hex = bufferOf(space).toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
