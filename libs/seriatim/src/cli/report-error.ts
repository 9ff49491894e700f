import { inspect } from "node:util";
import { isFailure } from "@seriatim/protocol";
import { BadArguments, exitCodeOf, Interrupted } from "./exit-codes.ts";
import { say } from "./output.ts";

/** Says on stderr what ended a command: one line a fault, without a stack unless `--debug` was given. Returns the exit code. */
export function reportError(error: unknown): number {
  if (!(error instanceof Interrupted)) {
    for (const line of messageOf(error).split("\n")) say(line);
    if (error instanceof BadArguments) say("run the command with --help for its arguments and flags");
    if (process.argv.includes("--debug")) process.stderr.write(`${inspect(error)}\n`);
  }
  return exitCodeOf(error);
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return `defect: ${String(error)}`;
  if (isFailure(error) || ["BadArguments", "Refused"].includes(error.name)) return error.message;
  return `defect: ${error.message} (run it with --debug for where, and report it)`;
}
