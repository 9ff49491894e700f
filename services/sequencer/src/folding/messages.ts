import { Defect, Failure, isFailure, type FailureCode } from "@seriatim/protocol";
import type { PackedRecords } from "./packed-records.ts";

/** What the thread that folds is started with. */
export interface Setup {
  /** Of the file that the view is in. */
  readonly path: string;
  /** The genesis of its space, as encoded. */
  readonly genesis: Uint8Array;
}

/** `end`: fold what you have, and end. */
export type Order = { readonly kind: "fold"; readonly records: PackedRecords } | { readonly kind: "end" };

export type Report =
  | { readonly kind: "folded"; readonly records: number; readonly bytes: number }
  /** The last report: the thread ends. */
  | { readonly kind: "failed"; readonly fault: Fault };

/** An error as it passes from one thread to another, where its class is lost. */
export type Fault =
  | { readonly kind: "failure"; readonly code: FailureCode; readonly message: string; readonly canRetry: boolean }
  | { readonly kind: "defect"; readonly message: string }
  | { readonly kind: "other"; readonly error: unknown };

export function faultOf(error: unknown): Fault {
  if (isFailure(error)) return { kind: "failure", code: error.code, message: error.message, canRetry: error.canRetry };
  if (error instanceof Defect) return { kind: "defect", message: error.message };
  return { kind: "other", error };
}

export function errorOf(fault: Fault): unknown {
  switch (fault.kind) {
    case "failure":
      return new Failure(fault.code, fault.message, { canRetry: fault.canRetry });
    case "defect":
      return new Defect(fault.message);
    case "other":
      return fault.error;
  }
}
