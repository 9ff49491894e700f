/*
 * npm run simulate -- --seeds N --from S: runs the seeds S to S + N - 1. Exit codes: 0 all held, 1 some did not, 64 bad
 * arguments.
 */
import { parseArgs } from "node:util";
import { runSeeds } from "./run-seeds.ts";
import { describeSummary } from "./summary.ts";

const { values } = parseArgs({
  options: { seeds: { type: "string", default: "100" }, from: { type: "string", default: "1" } },
});
const seeds = wholeNumber("seeds", values.seeds);
const from = wholeNumber("from", values.from);

const summary = await runSeeds(from, seeds, (done) => {
  if (process.stderr.isTTY) process.stderr.write(`\r${done} of ${seeds} seeds`);
});
if (process.stderr.isTTY) process.stderr.write("\n");
console.log(describeSummary(summary));
process.exitCode = summary.failures.length > 0 ? 1 : 0;

function wholeNumber(flag: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 0) return number;
  console.error(`--${flag} is ${text}; it is a whole number`);
  process.exit(64);
}
