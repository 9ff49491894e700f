import { Failure } from "@seriatim/protocol";

/** Where in a file something is wrong. */
export interface Place {
  readonly file: string;
  /** From 1. */
  readonly line?: number;
  /** In bytes, from 0. */
  readonly offset?: number;
}

/** A history that cannot be read: says where, and what was expected there. */
export function malformed({ file, line, offset }: Place, what: string): Failure {
  const at = line !== undefined ? `, line ${line}` : offset !== undefined ? `, byte ${offset}` : "";
  return new Failure("unreadable", `${file}${at}: ${what}`);
}
