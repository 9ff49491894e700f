import type { BookingSummary } from "../../libs/seriatim/src/booking/summary.ts";
import { jsonLines, seriatim, type Ended } from "../workloads/command.ts";
import { expect } from "vitest";

export function booking(...flags: readonly string[]): Promise<Ended> {
  return seriatim("booking", ...flags);
}

/** The one line of JSON on stdout. */
export function summaryOf(ended: Ended): BookingSummary {
  const lines = jsonLines(ended);
  expect(lines, ended.stderr).toHaveLength(1);
  return lines[0] as unknown as BookingSummary;
}

/** What must hold where a level forbids that one seat is booked twice. */
export function expectSound(
  ended: Ended,
  { agents, seats }: { readonly agents: number; readonly seats: number },
): void {
  const summary = summaryOf(ended);
  expect(summary).toMatchObject({
    problems: [],
    settled: true,
    booked: seats,
    taken: seats,
    sold: seats,
    confirmations: seats,
    soldOut: agents - seats,
    oversold: 0,
    soldTwice: 0,
    dangling: 0,
    claims: true,
    objections: 0,
  });
  const { office, effects } = summary;
  expect(office).toMatchObject({ held: 0, toCome: 0, refused: 0 });
  expect(effects).toMatchObject({ deferred: seats, confirmed: seats, open: 0, failed: 0 });
  // Each hold is confirmed by a commit, released, or surely never came about.
  expect(effects.holds).toBe(seats + effects.undone + effects.notNeeded);
  expect(ended.code, ended.stderr).toBe(0);
}

/** Where nothing is checked, everybody books: nobody commits before all hold a seat that they found free. */
export function expectOversold(
  ended: Ended,
  { agents, seats }: { readonly agents: number; readonly seats: number },
): void {
  const summary = summaryOf(ended);
  expect(summary).toMatchObject({
    settled: true,
    booked: agents,
    taken: seats,
    sold: agents,
    confirmations: agents,
    soldOut: 0,
    oversold: agents - seats,
    dangling: 0,
    refusals: 0,
    serializable: false,
    objections: 0,
  });
  expect(summary.soldTwice).toBeGreaterThan(0);
  expect(summary.problems).toContain(`${agents} seats were sold, and it must be ${seats}`);
  expect(ended.code, ended.stderr).toBe(1);
}
