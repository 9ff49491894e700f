import { Option, type Command } from "commander";
import { pino, type Logger } from "pino";
import { whole } from "./numbers.ts";
import type { Faults } from "./faults.ts";

export interface ServiceFlags {
  readonly listen?: string;
  readonly logLevel: string;
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** Declares the flags of a command that goes on until it is stopped. */
export function addServiceFlags(command: Command): Command {
  return command
    .addOption(
      new Option("--listen <host:port>", "serve /healthz, /readyz and /metrics there (default: nowhere)").env(
        "SERIATIM_LISTEN",
      ),
    )
    .addOption(
      new Option("--log-level <level>", "of the JSON lines on stderr")
        .choices(logLevels)
        .default("info")
        .env("SERIATIM_LOG_LEVEL"),
    );
}

/** Written at once, so that the last lines before an end are not lost. */
export function loggerOf({ logLevel }: ServiceFlags, space: string): Logger {
  return pino({ level: logLevel, base: { space, pid: process.pid } }, pino.destination({ dest: 2, sync: true }));
}

/** Undefined when none are named. */
export function partitionsOf(text: string | undefined, faults: Faults): number[] | undefined {
  if (text === undefined || text === "") return undefined;
  const partitions = text.split(",").map((part) => whole(part.trim(), "--partitions", 0, faults));
  return [...new Set(partitions.filter((partition) => partition !== undefined))].toSorted((a, b) => a - b);
}
