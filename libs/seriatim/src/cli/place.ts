import type { KafkaOptions } from "@seriatim/log";
import { Option, type Command } from "commander";
import { brokersOf } from "./address.ts";
import { addCredentialFlags, credentialsOf, type CredentialFlags } from "./credentials.ts";
import type { Faults } from "./faults.ts";
import { positive } from "./numbers.ts";

export interface PlaceFlags extends CredentialFlags {
  readonly file?: string;
  readonly brokers?: string;
  readonly space?: string;
  readonly view?: string;
}

/** Where the space is. */
export type Place =
  | { readonly kind: "file"; readonly path: string }
  | ({
      readonly kind: "kafka";
      readonly brokers: readonly string[];
      readonly space: string;
      /** The file of the view. */
      readonly view: string;
    } & Pick<KafkaOptions, "ssl" | "sasl">);

/** Declares the flags that say where the space is. */
export function addPlaceFlags(command: Command): Command {
  return addCredentialFlags(command)
    .addOption(new Option("--file <path>", "embedded: the SQLite file that holds the space").env("SERIATIM_FILE"))
    .addOption(new Option("--brokers <host:port,...>", "Kafka: addresses of brokers").env("SERIATIM_BROKERS"))
    .addOption(new Option("--space <name>", "Kafka: the space's name").env("SERIATIM_SPACE"))
    .addOption(
      new Option("--view <path>", "Kafka: the file of the view (default: <space>.view.db here)").env("SERIATIM_VIEW"),
    );
}

export function addJsonFlag(command: Command, what = "print JSON"): Command {
  return command.option("--json", what);
}

export function addWaitFlag(command: Command): Command {
  return command.option("--wait <seconds>", "how long to wait for the view, and for a verdict", "10");
}

/** In ms. */
export function waitOf(flags: { readonly wait: string }, faults: Faults): number {
  return (positive(flags.wait, "--wait", faults) ?? 0) * 1000;
}

/**
 * The place that the flags name; undefined when they have faults. A flag on the command line outweighs the environment's
 * word for the other kind of place.
 */
export function placeOf(command: Command, faults: Faults): Place | undefined {
  const flags = givenFlags(command);
  const { file, brokers } = flags;
  if (file !== undefined && brokers !== undefined) {
    faults.add("--file and --brokers exclude each other: a space is in a file or on Kafka; give one of them");
    return undefined;
  }
  if (file !== undefined) return filePlace(command, file, faults);
  if (brokers !== undefined) return kafkaPlace(brokers, flags, faults);
  faults.add("no space is named: give --file PATH, or --brokers HOST:PORT and --space NAME");
  return undefined;
}

function givenFlags(command: Command): PlaceFlags {
  const flags = Object.entries(command.opts<PlaceFlags>()).filter(([, value]) => value !== "");
  const { file, brokers, ...others }: PlaceFlags = Object.fromEntries(flags);
  const isTyped = (name: string): boolean => command.getOptionValueSource(name) === "cli";
  const given: PlaceFlags = { ...others };
  if (file !== undefined && (isTyped("file") || !isTyped("brokers"))) Object.assign(given, { file });
  if (brokers !== undefined && (isTyped("brokers") || !isTyped("file"))) Object.assign(given, { brokers });
  return given;
}

function filePlace(command: Command, path: string, faults: Faults): Place {
  for (const name of ["space", "view"])
    if (command.getOptionValueSource(name) === "cli")
      faults.add(`--${name} goes with --brokers, not with --file: an embedded space is its file`);
  return { kind: "file", path };
}

function kafkaPlace(text: string, flags: PlaceFlags, faults: Faults): Place | undefined {
  const brokers = brokersOf(text, faults);
  const credentials = credentialsOf(flags, faults);
  const { space } = flags;
  if (space === undefined) {
    faults.add("--space is missing: a cluster holds many spaces; name one with --space NAME");
    return undefined;
  }
  return { kind: "kafka", brokers, space, view: flags.view ?? `${space}.view.db`, ...credentials };
}

/** The flags that lead to the same space again, for a command to try next. */
export function placeText(place: Place): string {
  if (place.kind === "file") return `--file ${quoted(place.path)}`;
  return `--brokers ${place.brokers.join(",")} --space ${place.space}`;
}

/** As a shell takes it. */
export function quoted(text: string): string {
  return /^[\w./:@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
