import { isFailure, type FailureCode } from "@seriatim/protocol";

/** What the program's exit code says. Part of its contract: scripts rest on it. */
export const exitCodes = {
  done: 0,
  /** The answer is no: refused, not found, or a condition or invariant that does not hold. */
  no: 1,
  /** Neither: the outcome of a write is unknown, or the view did not come far enough in time. */
  undecided: 2,
  badArguments: 64,
  /** A file, broker or log failed or is not what it must be, or Seriatim itself has a defect. */
  failed: 70,
} as const;

export const exitCodesHelp = `
Exit codes:
  0    done; an invariant that was checked holds
  1    no: refused, not found, or a condition or invariant that does not hold
  2    undecided: the outcome of a write is unknown, or the view did not come far enough in time
  64   bad arguments; nothing was done
  70   a file, broker or log failed or is not what it must be, or a defect of Seriatim
  130  ended by Ctrl-C before it was done (143: by SIGTERM)

Data goes to stdout, everything else to stderr.`;

export function exitCodeOf(error: unknown): number {
  if (error instanceof BadArguments) return exitCodes.badArguments;
  if (error instanceof Refused) return exitCodes.no;
  if (error instanceof Interrupted) return error.exitCode;
  return isFailure(error) ? codeOfFailure(error.code) : exitCodes.failed;
}

function codeOfFailure(code: FailureCode): number {
  switch (code) {
    case "invalid_argument":
      return exitCodes.badArguments;
    case "unknown_outcome":
    case "not_yet":
      return exitCodes.undecided;
    case "unavailable":
    case "overloaded":
    case "log_changed":
    case "not_a_space":
    case "other_space":
    case "topic_settings":
    case "unknown_rules":
    case "read_only":
    case "unreadable":
    case "closed":
    case "aborted":
      return exitCodes.failed;
  }
}

/** All that is wrong with a command line, found before any data was touched. */
export class BadArguments extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.name = "BadArguments";
  }
}

/** The answer is no, and this is why. */
export class Refused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "Refused";
  }
}

/** A signal ended the command before it was done. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("interrupted");
    this.name = "Interrupted";
    this.exitCode = exitCode;
  }
}
