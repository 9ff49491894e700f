import { Failure, isolations, toBytes, type Genesis, type Isolation } from "@seriatim/protocol";
import { businessIds, freshIds, type AttemptIds } from "./attempt-ids.ts";
import type { RunOptions } from "./coordinator.ts";
import { Placement } from "./placement.ts";

const defaultAttempts = 10;

/** Options as checked, with what was left out filled in. */
export interface RunSettings {
  readonly agent: string;
  readonly id: string | undefined;
  readonly ids: AttemptIds;
  readonly isolation: Isolation;
  readonly attempts: number;
  readonly signal: AbortSignal | undefined;
  readonly partitionKey: string | undefined;
  /** In which the attempts of a run under an id are decided; 0 where it has none and that is not yet known. */
  readonly partition: number;
}

/** @param newId for the attempts of a run without an id. @throws Failure `invalid_argument`. */
export function checkedOptions(options: RunOptions, genesis: Genesis, newId: () => string): RunSettings {
  const { agent, id, isolation = "serializable", attempts = defaultAttempts, signal, partitionKey } = options;
  const { nameBytes } = genesis.limits;
  checkName(agent, "agent", nameBytes);
  if (!isolations.includes(isolation))
    throw new Failure("invalid_argument", `isolation is ${JSON.stringify(isolation)}; it is ${isolations.join(", ")}`);
  if (!(Number.isSafeInteger(attempts) && attempts >= 1))
    throw new Failure("invalid_argument", `attempts is ${attempts}; it is a whole number from 1`);
  const { partition } = new Placement(genesis, partitionKey);
  return {
    agent,
    id,
    ids: id === undefined ? freshIds(newId) : idsOf(id, nameBytes, partition),
    isolation,
    attempts,
    // A signal of this run's own: many runs may share one, and Node warns of more than ten listeners.
    signal: signal === undefined ? undefined : AbortSignal.any([signal]),
    partitionKey,
    partition: partition ?? 0,
  };
}

function idsOf(id: string, nameBytes: number, partition: number | undefined): AttemptIds {
  checkName(id, "id", nameBytes);
  if (partition !== undefined) return businessIds(id, nameBytes);
  throw new Failure(
    "invalid_argument",
    `a run under an id (${JSON.stringify(id)}) needs a partitionKey where the space has several partitions, or two attempts ` +
      "could be decided in two of them and both commit: give the first segment of the keys that it touches",
  );
}

/** @throws Failure `invalid_argument` when it is no text, empty or too long. */
export function checkName(name: string, what: "agent" | "id", nameBytes: number): void {
  if (typeof name !== "string" || name === "" || !name.isWellFormed())
    throw new Failure("invalid_argument", `${what} is ${JSON.stringify(name)}; it is a text of at least one character`);
  const { length } = toBytes(name);
  if (length > nameBytes)
    throw new Failure(
      "invalid_argument",
      `${what} is ${length} bytes long in UTF-8; at most ${nameBytes} are allowed in this space (nameBytes)`,
    );
}
