import type { Coordinator } from "@seriatim/client";
import type { Version } from "@seriatim/protocol";
import type { AgentReport } from "./messages.ts";

const agent = "box office";

export function seatNames(count: number): string[] {
  const digits = String(count).length;
  return Array.from({ length: count }, (_, index) => `seat-${String(index + 1).padStart(digits, "0")}`);
}

/** Puts up the seats of a show, all of them free. */
export async function putUpSeats(coordinator: Coordinator, show: string, seats: readonly string[]): Promise<void> {
  const result = await coordinator.run({ agent }, (tx) => {
    for (const seat of seats) tx.put(`${show}/${seat}`, { agent: null });
  });
  if (result.outcome === "refused") throw new Error(`The seats could not be put up: ${result.refusal.message}`);
}

/** How many seats show an agent, once the view has come as far as the newest booking. */
export async function takenSeats(
  coordinator: Coordinator,
  show: string,
  reports: readonly AgentReport[],
): Promise<number> {
  const newest = reports.reduce<Version | undefined>(
    (latest, { version }) => (version !== undefined && version.offset > (latest?.offset ?? -1) ? version : latest),
    undefined,
  );
  const seats = await coordinator.scan<{ readonly agent: string | null }>(
    { prefix: `${show}/` },
    newest === undefined ? {} : { minVersion: newest },
  );
  return seats.filter(({ value }) => value.agent !== null).length;
}
