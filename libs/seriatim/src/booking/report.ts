// What people read: before the run and after it.
import { coloured, escapeUnprintable } from "../cli/output.ts";
import { keptLines, nextLines, orderText } from "../cli/run-report.ts";
import { wrapped } from "../cli/wrapped.ts";
import type { BookingResult } from "./booking.ts";
import { nextCommands } from "./next-steps.ts";
import type { BookingOptions } from "./options.ts";
import type { BookingSummary } from "./summary.ts";

export function openingLines({ agents, seats, isolation, seed, place }: BookingOptions): string[] {
  const shared = place.log === "sqlite" ? "one SQLite file" : `Kafka at ${place.brokers.join(",")}`;
  return [
    `${agents} agents, each a process of its own, share ${shared} and compete for ${seats} seats, at level ${isolation}.`,
    "Each holds a seat at the box office before it commits, and has it confirmed after. The box office is an HTTP",
    "server that sells whatever it is asked for, and fails, stalls, and acts after its client has timed out.",
    `Nobody commits before all hold a seat. Seed ${seed}.`,
    "",
  ];
}

export function closingLines(result: BookingResult, summary: BookingSummary): string[] {
  return [
    `What happened, at level ${summary.isolation}:`,
    ...verdictLines(result, summary),
    "",
    ...officeLines(summary),
    "",
    "What a loser was told:",
    ...loserLines(result),
    "",
    "What to try next:",
    ...nextLines(nextCommands(result, summary)),
  ];
}

function verdictLines(result: BookingResult, summary: BookingSummary): string[] {
  const { sold, seats, soldTwice, confirmations, booked, dangling, effects, soldOut, refusals, failedCalls } = summary;
  const due = Math.min(summary.agents, seats);
  const isSold = sold === due && soldTwice === 0;
  const oversold = summary.oversold > 0 ? `, ${summary.oversold} more than there are` : "";
  const isConfirmed = confirmations === effects.deferred && booked === confirmations && effects.failed === 0;
  return [
    ...keptLines([
      [isSold, "each seat is sold once", `${sold} sold${oversold}${twiceText(result)}`],
      [isConfirmed, "who has booked is confirmed, and nobody else", `${booked} booked, ${confirmations} confirmations`],
      [dangling === 0 && summary.settled, "no hold is left behind", `${dangling} dangling`],
      [isLevelKept(summary), levelRule(summary), orderText(result.judged)],
    ]),
    "",
    `  In ${summary.seconds.toFixed(1)} s ${booked} agents booked, and ${soldOut} were told that the show is sold out. ${refusals} verdicts refused;`,
    `  ${failedCalls} calls of agents failed, and they began anew.`,
    ...(summary.settled ? [] : [`  NOT SETTLED in time: ${effects.open} effects are still open.`]),
  ];
}

/** At level none, which promises nothing, what that has cost. */
function isLevelKept({ isolation, serializable, claims, objections }: BookingSummary): boolean {
  return (isolation === "none" ? serializable : claims) === true && objections === 0;
}

function levelRule({ isolation, serializable }: BookingSummary): string {
  return isolation === "none" || serializable === true
    ? "one order explains it, by the log alone"
    : "each commit had its level, by the log alone";
}

function twiceText({ settled: { office } }: BookingResult): string {
  const worst = Object.entries(office.sold).find(([, buyers]) => buyers.length > 1);
  return worst === undefined ? "" : `: ${worst[0]} to ${worst[1].join(" and ")}`;
}

function officeLines({ office, effects }: BookingSummary): string[] {
  const { requests, keys, suppressed, voided, confirmed, released, held, faults } = office;
  const made = confirmed + released + held;
  return [
    "At the box office:",
    `  ${effects.holds} holds were announced in the log, and ${made} were made: ${confirmed} confirmed, ${released} released, ${held} dangling.`,
    `  ${requests} requests came under ${keys} keys: ${requests - keys} repeated, ${suppressed} of them after it had acted, and suppressed.`,
    `  Its faults: ${faults.failed} failed, ${faults.failed_after_acting} failed after it had acted, ${faults.stalled} stalled, ${faults.acted_late} acted on once the client had timed out.`,
    `  Holds that came after their release, and did nothing: ${voided}.`,
  ];
}

function loserLines({ reports }: BookingResult): string[] {
  const loser = reports.find(({ refusal }) => refusal !== undefined);
  if (loser === undefined) return ["  Nothing: nobody was told that others had been faster."];
  return [
    coloured(`  ${loser.agent}:`, "dim"),
    ...wrapped(escapeUnprintable(loser.refusal ?? "")).map((line) => `    ${line}`),
  ];
}
