import { Failure } from "@seriatim/protocol";
import { handlerDefaults, type Handler, type HandlerDefinition, type Handlers } from "./handler.ts";

/** Longer waits are cut short by Node's timers. */
const longestTimeout = 2 ** 31 - 1;

/** Names stand in the log, where a genesis allows them to be so long. */
const longestName = 256;

const known = ["call", "reconcile", ...Object.keys(handlerDefaults)];

/**
 * Handlers by name, for agents and workers alike: the default export of what `--handlers FILE` loads.
 *
 * @example export default defineHandlers({ notify: { call: (args, { key, signal }) => post(args, key, signal) } });
 * @throws Failure `invalid_argument` naming the handler, what is wrong with it and what is allowed.
 */
export function defineHandlers(definitions: Readonly<Record<string, HandlerDefinition>>): Handlers {
  if (!isObject(definitions))
    throw new Failure("invalid_argument", "handlers are an object, such as { notify: { call(args, context) {} } }");
  return new Map(Object.entries(definitions).map(([name, definition]) => [name, handlerOf(name, definition)]));
}

/** @throws Failure `invalid_argument` when two of them have a name in common. */
export function mergeHandlers(...all: readonly Handlers[]): Handlers {
  const merged = new Map<string, Handler>();
  for (const handlers of all)
    for (const [name, handler] of handlers) {
      if (merged.has(name))
        throw new Failure(
          "invalid_argument",
          `the handler ${JSON.stringify(name)} is defined twice: remove one of them`,
        );
      merged.set(name, handler);
    }
  return merged;
}

function handlerOf(name: string, definition: HandlerDefinition): Handler {
  const fail: Fail = (fault) => {
    throw new Failure("invalid_argument", `the handler ${JSON.stringify(name)} ${fault}`);
  };
  if (!isName(name)) fail(`has no name that the log can hold: use text of 1 to ${longestName} bytes`);
  checkFunctions(definition, fail);
  const given = Object.entries(definition).filter(([, value]) => value !== undefined);
  const settings: Settings = { ...handlerDefaults, ...Object.fromEntries(given) };
  checkSettings(settings, fail);
  return {
    ...settings,
    name,
    // Called as methods of what the user wrote.
    call: (args, context) => definition.call(args, context),
    reconcile:
      definition.reconcile === undefined ? undefined : (args, context) => definition.reconcile?.(args, context) ?? no,
  };
}

/** A reconcile function that was taken away knows nothing. */
const no = { state: "unknown" } as const;

type Fail = (fault: string) => never;
type Settings = Omit<Handler, "name" | "call" | "reconcile">;

function checkFunctions(definition: unknown, fail: Fail): void {
  if (!isObject(definition) || typeof definition["call"] !== "function")
    return fail("has no function `call`: define it as { call(args, context) { … } }");
  const reconcile = definition["reconcile"];
  if (reconcile !== undefined && typeof reconcile !== "function") fail("has a `reconcile` that is no function");
  const unknown = Object.keys(definition).find((property) => !known.includes(property));
  if (unknown !== undefined) fail(`has the property ${JSON.stringify(unknown)}; there are ${known.join(", ")}`);
}

const leastOf = { timeout: 1, attempts: 1, backoff: 0, longestBackoff: 0 } as const;

function checkSettings(settings: Settings, fail: Fail): void {
  for (const name of ["idempotent", "voids"] as const)
    if (typeof settings[name] !== "boolean") fail(`has no boolean as \`${name}\``);
  for (const [name, least] of Object.entries(leastOf) as [keyof typeof leastOf, number][]) {
    const value = settings[name];
    if (!Number.isInteger(value) || value < least || value > longestTimeout)
      fail(`has ${value} as \`${name}\`: a whole number from ${least} to ${longestTimeout} is allowed`);
  }
  if (!isName(settings.lane)) fail(`has no text of 1 to ${longestName} bytes as \`lane\``);
}

function isName(name: unknown): boolean {
  return typeof name === "string" && name !== "" && name.isWellFormed() && Buffer.byteLength(name) <= longestName;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
