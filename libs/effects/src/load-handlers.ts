import { statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Failure } from "@seriatim/protocol";
import { defineHandlers } from "./define-handlers.ts";
import type { HandlerDefinition, Handlers } from "./handler.ts";

/**
 * The handlers that the module at `path` exports as its default, or under the name `handlers`.
 * @throws Failure `invalid_argument` when there is no such file, it cannot be loaded, or exports no handlers.
 */
export async function loadHandlers(path: string): Promise<Handlers> {
  const absolute = resolve(path);
  if (statSync(absolute, { throwIfNoEntry: false })?.isFile() !== true)
    throw new Failure("invalid_argument", `there is no file ${absolute}: name the module that exports the handlers`);
  const exported = handlersOf(await load(absolute));
  if (exported === undefined)
    throw new Failure(
      "invalid_argument",
      `${absolute} exports no handlers: write \`export default defineHandlers({ … })\` in it`,
    );
  return exported;
}

async function load(path: string): Promise<Record<string, unknown>> {
  try {
    return (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    const fault = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new Failure("invalid_argument", `the handlers in ${path} could not be loaded: ${fault}`, { cause });
  }
}

/** As made by `defineHandlers`, also by another copy of this package, or as it takes them. */
function handlersOf(module: Record<string, unknown>): Handlers | undefined {
  const exported = module["default"] ?? module["handlers"];
  if (typeof exported !== "object" || exported === null) return undefined;
  const definitions = exported instanceof Map ? Object.fromEntries(exported as Handlers) : exported;
  return defineHandlers(withoutNames(definitions as Record<string, HandlerDefinition>));
}

/** A handler knows its name; a definition does not. */
function withoutNames(definitions: Record<string, HandlerDefinition>): Record<string, HandlerDefinition> {
  return Object.fromEntries(
    Object.entries(definitions).map(([name, definition]) => {
      if (typeof definition !== "object" || definition === null || !("name" in definition)) return [name, definition];
      const { name: _, ...rest } = definition;
      return [name, rest];
    }),
  );
}
