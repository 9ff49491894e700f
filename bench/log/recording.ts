import Database from "better-sqlite3";
import { keyPrefix, keyOf, anyKey } from "./workload.ts";

type Parameter = number | bigint | string | Uint8Array | null;

/** One call of a statement that writes. */
interface Call {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

let record: ((call: Call) => void) | undefined;

/** From now on, what databases of this process write can be recorded. */
export function makeRecordable(): void {
  const prototype = Database.prototype as { prepare(sql: string): Database.Statement };
  const original = Reflect.get(prototype, "prepare");
  prototype.prepare = function prepare(this: Database.Database, sql: string): Database.Statement {
    const statement = original.call(this, sql);
    const run = statement.run.bind(statement);
    statement.run = (...parameters: unknown[]) => {
      if (/^\s*(INSERT|UPDATE|DELETE|REPLACE)/i.test(sql))
        record?.({ sql, parameters: parameters.flat() as Parameter[] });
      return run(...parameters);
    };
    return statement;
  };
}

/** What is written while `work` goes on. */
export async function recorded(work: () => Promise<unknown>): Promise<readonly Call[]> {
  const calls: Call[] = [];
  record = (call) => calls.push(call);
  try {
    await work();
    return calls;
  } finally {
    record = undefined;
  }
}

/** The same calls once more as often as wanted, with keys and ids by chance, and numbers going on as they have begun. */
export class Replay {
  readonly #calls: readonly { readonly statement: Database.Statement; readonly parameter: readonly Next[] }[];
  #round = 0;

  /** @param before the calls of a transaction, @param last those of the next of its kind. */
  constructor(database: Database.Database, before: readonly Call[], last: readonly Call[]) {
    if (before.length !== last.length) throw new Error("two transactions of one kind write differently");
    this.#calls = last.map(({ sql, parameters }, index) => ({
      statement: database.prepare(sql),
      parameter: parameters.map((value, position) => nextOf(before[index]?.parameters[position] ?? null, value)),
    }));
  }

  /** In the caller's transaction. */
  next(): void {
    this.#round += 1;
    for (const { statement, parameter } of this.#calls) {
      try {
        statement.run(...parameter.map((next) => next(this.#round)));
      } catch (error) {
        if (!isTaken(error)) throw error;
      }
    }
  }
}

/** Keys by chance meet the same version twice, now and then: a row in ten thousand is not written. */
function isTaken(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_CONSTRAINT");
}

type Next = (round: number) => Parameter;

/** Numbers further apart do not go on from one to the next: they are hashes. */
const mostSteps = 1_000_000;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

function nextOf(before: Parameter, last: Parameter): Next {
  if (typeof last === "number" && typeof before === "number") {
    if (Math.abs(last - before) > mostSteps) return () => Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);
    return (round) => last + (last - before) * round;
  }
  if (typeof last === "bigint" && typeof before === "bigint") return (round) => last + (last - before) * BigInt(round);
  if (typeof last === "string" && uuid.test(last)) return () => crypto.randomUUID();
  if (last instanceof Uint8Array && Buffer.from(last).subarray(0, keyPrefix.length).toString() === keyPrefix)
    return () => Buffer.from(keyOf(anyKey()));
  return () => last;
}
