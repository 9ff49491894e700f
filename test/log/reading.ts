import type { Log, LogRecord, NewRecord } from "@seriatim/log";
import { type Failure, type FailureCode, isFailure } from "@seriatim/protocol";

export interface Reading {
  /** The records of the next batch. */
  next(): Promise<readonly LogRecord[]>;
  /** Batches until `count` records came. */
  records(count: number): Promise<readonly LogRecord[]>;
  end(): Promise<void>;
}

export function follow(log: Log, from: readonly (readonly [number, number])[]): Reading {
  const controller = new AbortController();
  const iterator = log.read(new Map(from), { signal: controller.signal })[Symbol.asyncIterator]();
  const next = async (): Promise<readonly LogRecord[]> => {
    const result = await iterator.next();
    if (result.done === true) throw new Error("the reading ended early");
    return result.value.records;
  };
  return {
    next,
    records: async (count) => {
      const all: LogRecord[] = [];
      while (all.length < count) all.push(...(await next()));
      return all;
    },
    end: async () => {
      controller.abort();
      await iterator.next();
    },
  };
}

export async function expectFailure(call: Promise<unknown>, code: FailureCode): Promise<Failure> {
  const outcome = await call.then(
    () => "it succeeded",
    (error: unknown) => error,
  );
  if (isFailure(outcome, code)) return outcome;
  throw new Error(`expected a failure ${code}, but: ${String(outcome)}`, { cause: outcome });
}

export function texts(...values: readonly string[]): NewRecord[] {
  return values.map((value) => ({ value: new TextEncoder().encode(value) }));
}

export function text({ value }: LogRecord): string {
  return new TextDecoder().decode(value);
}
