import { isolations } from "@seriatim/protocol";
import { z } from "zod";

const transaction = z.string().describe("The id that begin answered with");
const key = z.string().describe('A key: "partition key/rest", such as "policy/budget"');

export const asOf = z
  .string()
  .optional()
  .describe(
    "What was there at a version, such as 0@42, or at a time, such as 2026-01-31T12:00:00Z; not in a transaction",
  );

const optionalTransaction = transaction
  .optional()
  .describe(
    "Read within this transaction, so that its commit rests on it; the newest state outside of any unless given",
  );

export const begin = {
  isolation: z
    .enum(isolations)
    .optional()
    .describe(
      "serializable (unless given): refused if anything read or written has changed; snapshot: only what is written " +
        "counts; none: nothing counts",
    ),
  partitionKey: z
    .string()
    .optional()
    .describe("The first segment of every key that it will touch; fixed by the first key unless given"),
};

export const get = { key, transaction: optionalTransaction, asOf };

export const scan = {
  prefix: z.string().optional().describe('All keys that start with it, such as "tasks/open/"; or give from and to'),
  from: z.string().optional().describe("The first key, inclusive"),
  to: z.string().optional().describe("The end, exclusive"),
  limit: z.int().min(1).max(1_000).optional().describe("At most so many keys; 100 unless given"),
  reverse: z.boolean().optional().describe("From the highest key down"),
  transaction: optionalTransaction,
  asOf,
};

const blind = z
  .boolean()
  .optional()
  .describe("Write whatever others do to the key meanwhile; without it their write refuses the commit");

export const put = {
  transaction,
  key,
  value: z.unknown().describe("Any JSON value; it replaces what the key holds"),
  blind,
};

export const remove = { transaction, key, blind };

export const defer = {
  transaction,
  name: z.string().describe('The handler that is to do it, such as "notify"'),
  arguments: z.unknown().describe("JSON for the handler; it stands in the log for good: no secrets"),
  lane: z.string().optional().describe("Effects of one lane happen one after another; one lane for all unless given"),
};

export const one = { transaction };

export const history = {
  key,
  limit: z.int().min(1).max(1_000).optional().describe("At most so many writes; 20 unless given"),
  before: z.string().optional().describe("Only writes older than this version, such as 0@42"),
};
