import { create, standing, withClients } from "./calls.ts";
import type { Subject } from "./subjects.ts";

/** What became of calls that were made all at once. */
export interface Crowd {
  readonly subject: string;
  readonly processes: number;
  /** Calls of each process. */
  readonly each: number;
  readonly acknowledged: number;
  readonly standing: number;
}

export const crowds = [
  { processes: 1, each: 20 },
  { processes: 2, each: 20 },
  { processes: 8, each: 5 },
] as const;

export function crowd(subject: Subject, folder: string, processes: number, each: number): Promise<Crowd> {
  return withClients(subject, folder, processes, async (clients, store) => {
    const calls = clients.flatMap((client, index) =>
      Array.from({ length: each }, (_, n) => create(client, `entity ${index}-${n}`)),
    );
    // A call that ends with an error of the transport was not acknowledged either.
    const results = await Promise.allSettled(calls);
    const acknowledged = results.filter((result) => result.status === "fulfilled" && result.value).length;
    return { subject: subject.name, processes, each, acknowledged, standing: await standing(store) };
  });
}
