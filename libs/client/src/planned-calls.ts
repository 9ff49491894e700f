import type { Handler, Handlers } from "@seriatim/effects";
import { Failure } from "@seriatim/protocol";
import type { Limits } from "@seriatim/protocol";
import { argumentsWithin, checkLabel, handlerNamed } from "./effect-set.ts";
import type { PlannedCall } from "./held-calls.ts";
import type { CompensableOptions, ImmediateOptions } from "./transaction.ts";

/** How much longer than the handler's time-out a lease is, in ms, unless given: time to think until the commit. */
const defaultThinking = 300_000;

/** @throws Failure `invalid_argument`, saying what to do instead. */
export function plannedCompensable(
  limits: Limits,
  handlers: Handlers | undefined,
  name: string,
  args: unknown,
  options: Partial<CompensableOptions> | undefined,
): PlannedCall {
  const handler = callable(limits, handlers, name);
  const { undo, lease } = options ?? {};
  if (undo === undefined)
    throw new Failure(
      "invalid_argument",
      `the compensable effect ${JSON.stringify(name)} has no undo; name the handler that undoes it, as in ` +
        '{ undo: "release" }. What nothing can undo is better deferred (tx.defer), or called once run has returned',
    );
  checkLabel(undo, `the undo of ${JSON.stringify(name)}`, limits.nameBytes);
  const { name: inverse } = handlerNamed(undo, handlers ?? new Map());
  return planned(limits, handler, args, inverse, lease);
}

/** @throws Failure `invalid_argument`, saying what to do instead. */
export function plannedImmediate(
  limits: Limits,
  handlers: Handlers | undefined,
  name: string,
  args: unknown,
  { force = false, lease }: ImmediateOptions,
): PlannedCall {
  if (!force) throw outOfPlace(name);
  return planned(limits, callable(limits, handlers, name), args, null, lease);
}

function planned(
  limits: Limits,
  handler: Handler,
  args: unknown,
  undo: string | null,
  lease: number | undefined,
): PlannedCall {
  const { name, timeout } = handler;
  const bytes = argumentsWithin(name, args, limits.effectBytes);
  const most = limits.leaseMs;
  const chosen = lease ?? Math.min(timeout + defaultThinking, most);
  if (!(Number.isSafeInteger(chosen) && chosen > timeout && chosen <= most))
    throw new Failure(
      "invalid_argument",
      `the lease of ${JSON.stringify(name)} is ${chosen} ms; it is a whole number above the handler's time-out, which is ` +
        `${timeout} ms, up to ${most} ms, which is the limit of this space (leaseMs)`,
    );
  return { handler, arguments: bytes, undo, lease: chosen };
}

/** A handler that can be called here. */
function callable({ nameBytes }: Limits, handlers: Handlers | undefined, name: string): Handler {
  checkLabel(name, "the name of an effect", nameBytes);
  if (handlers !== undefined) return handlerNamed(name, handlers);
  throw new Failure(
    "invalid_argument",
    `${JSON.stringify(name)} cannot be called here, for no handlers are defined; give open or connect ` +
      "handlers: defineHandlers({ ... })",
  );
}

function outOfPlace(name: string): Failure {
  const it = JSON.stringify(name);
  return new Failure(
    "invalid_argument",
    `${it} would be called at once, inside of a transaction that may still be refused or called again: then it has happened ` +
      "for nothing, or twice, and nothing undoes it. The transaction's boundary is in the wrong place. Let it end first, and " +
      `call ${it} once run has returned a commit; or, if it may follow by itself, tx.defer it; or, if something undoes it, use ` +
      "tx.compensable; or, if it is right whatever becomes of the transaction, give { force: true }",
  );
}
