import { Failure, fromBytes, partitionKeyOf, partitionKeyOfRange, partitionOf, toKey } from "@seriatim/protocol";
import type { Bytes, Genesis, Key, KeyRange } from "@seriatim/protocol";

/**
 * Which partition a transaction belongs to. Where the space allows one partition key a transaction, or the caller has
 * declared one, the first one touched fixes it, and a second one is a mistake even where both stand in the same
 * partition: nothing may depend on a hash.
 */
export class Placement {
  readonly #genesis: Genesis;
  readonly #takesOne: boolean;
  #partitionKey: Bytes | undefined;

  constructor(genesis: Genesis, partitionKey?: string) {
    this.#genesis = genesis;
    this.#takesOne = genesis.limits.partitionKeys === 1 || partitionKey !== undefined;
    if (partitionKey !== undefined) this.#partitionKey = checkedPartitionKey(partitionKey);
  }

  /** Undefined until a key of a space with several partitions is touched. */
  get partition(): number | undefined {
    if (this.#genesis.partitions === 1) return 0;
    return this.#partitionKey === undefined ? undefined : partitionOf(this.#partitionKey, this.#genesis.partitions);
  }

  touchKey(key: Key): number {
    return this.#touch(partitionKeyOf(key), () => JSON.stringify(fromBytes(key)));
  }

  touchRange(range: KeyRange): number {
    const partitionKey = partitionKeyOfRange(range);
    if (partitionKey === undefined && this.#takesOne)
      throw new Failure(
        "invalid_argument",
        `the range from ${JSON.stringify(fromBytes(range.from))} reaches over several partition keys, and this transaction ` +
          'touches one; stay within one, as in { prefix: "policy/" }, with the slash',
      );
    return this.#touch(partitionKey, () => `the range from ${JSON.stringify(fromBytes(range.from))}`);
  }

  #touch(partitionKey: Bytes | undefined, what: () => string): number {
    if (partitionKey !== undefined && this.#takesOne) {
      this.#partitionKey ??= partitionKey;
      if (this.#partitionKey !== partitionKey) throw twoPartitionKeys(what(), partitionKey, this.#partitionKey);
    }
    // Any number of partition keys only ever goes with one partition.
    return this.partition ?? 0;
  }
}

function checkedPartitionKey(text: string): Bytes {
  if (text.includes("/"))
    throw new Failure(
      "invalid_argument",
      `partition key ${JSON.stringify(text)} holds a slash; it ends before the first`,
    );
  return partitionKeyOf(toKey(`${text}/0`));
}

function twoPartitionKeys(what: string, partitionKey: Bytes, first: Bytes): Failure {
  const [other, fixed] = [fromBytes(partitionKey), fromBytes(first)].map((text) => JSON.stringify(text));
  return new Failure(
    "invalid_argument",
    `${what} lies under the partition key ${other}, but this transaction works under ${fixed}, and it touches one partition ` +
      "key; put what must change together under one partition key, or run two transactions",
  );
}
