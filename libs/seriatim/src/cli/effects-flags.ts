import {
  httpHandlersFrom,
  httpHandlersOf,
  httpVariable,
  loadHandlers,
  mergeHandlers,
  type Handlers,
} from "@seriatim/effects";
import { isFailure } from "@seriatim/protocol";
import { Option, type Command } from "commander";
import type { Faults } from "./faults.ts";

export interface HandlerFlags {
  readonly handlers?: string;
  readonly http?: string;
}

/** Declares the flags that say which handlers there are. */
export function addHandlerFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--handlers <path>", "the module that exports handlers, by defineHandlers").env("SERIATIM_HANDLERS"),
    )
    .addOption(
      new Option("--http <path>", `JSON: names and the URLs to post to; the same in ${httpVariable}`).env(
        "SERIATIM_HTTP",
      ),
    );
}

/** Those that the flags and the environment name; at fault when there are none. */
export async function handlersOf({ handlers, http }: HandlerFlags, faults: Faults): Promise<Handlers> {
  try {
    const found = [
      ...(handlers === undefined || handlers === "" ? [] : [await loadHandlers(handlers)]),
      ...(http === undefined || http === "" ? [] : [httpHandlersFrom(http)]),
      httpHandlersOf(),
    ];
    const merged = mergeHandlers(...found);
    if (merged.size === 0)
      faults.add(
        `there are no handlers, so nothing could be called: name a module with --handlers, or URLs with --http or ${httpVariable}`,
      );
    return merged;
  } catch (error) {
    if (!isFailure(error, "invalid_argument")) throw error;
    faults.add(error.message);
    return new Map();
  }
}

/** Declares where a space on Kafka has its effects folded. */
export function addEffectsFileFlag(command: Command): Command {
  return command.addOption(
    new Option("--effects <path>", "Kafka: the file that keeps what was read (default: <space>.effects.db here)").env(
      "SERIATIM_EFFECTS",
    ),
  );
}
