import { again, leftFlags, looks, type NextCommand } from "../cli/run-report.ts";
import type { BookingResult } from "./booking.ts";
import { seatNames } from "./seats.ts";
import type { BookingSummary } from "./summary.ts";

export function nextCommands({ address, show }: BookingResult, summary: BookingSummary): NextCommand[] {
  const command = again(booking(), address);
  const other: NextCommand =
    summary.isolation === "none"
      ? [`${command} --isolation serializable`, "the same agents, each seat sold once"]
      : [`${command} --isolation none`, "the same agents unchecked, and the damage"];
  const left = looks(`${booking()} --file booking.db`, leftFlags(address, summary), (flags) => [
    [`npx seriatim history ${flags} ${show}/${seatNames(summary.seats)[0]}`, "who wanted this seat, and who got it"],
    [`npx seriatim effects list ${flags} --all`, "what was asked of the box office, and what became of it"],
  ]);
  return [other, ...left];
}

/** The command as the reader has just typed it. */
function booking(): string {
  return process.env["npm_lifecycle_event"] === "example:booking"
    ? "npm run example:booking --"
    : "npx seriatim booking";
}
