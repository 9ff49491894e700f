import { isolations, type Isolation } from "@seriatim/protocol";
import { Option, type Command } from "commander";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import type { RunOptions } from "../staging/run-options.ts";
import { brokersOf } from "./address.ts";
import type { Faults } from "./faults.ts";
import { count, upTo } from "./flags.ts";
import { whole } from "./numbers.ts";

/** The flags of a run of agents in processes of their own. */
export interface RunFlags extends RunPlaceFlags {
  readonly isolation: Isolation;
  readonly agents: string;
  readonly seed: string;
  readonly json?: true;
}

interface RunPlaceFlags {
  readonly file?: string;
  readonly keep?: true;
  readonly brokers?: string;
  readonly space?: string;
  readonly partitions?: string;
  readonly sequencers?: string;
}

const most = { agents: 64, partitions: 64, sequencers: 16 } as const;
const defaults = { partitions: 4, sequencers: 2 } as const;

/** Declares the flags that runs have in common; `seed` says what the seed decides. */
export function addRunFlags(command: Command, { seed }: { readonly seed: string }): Command {
  return command
    .addOption(
      new Option("--isolation <level>", "what a commit is checked for").choices([...isolations]).default(isolations[0]),
    )
    .option("--agents <count>", "how many agent processes", "8")
    .option("--seed <number>", seed, "1")
    .option("--file <path>", "the SQLite file to share (default: a temporary one, removed at the end)")
    .option("--keep", "leave the temporary file where it is")
    .option("--brokers <host:port,...>", "share a space on Kafka in place of a file")
    .option("--space <name>", "Kafka: the space (default: a new one under a random name)")
    .option("--partitions <count>", `Kafka: partitions of a new space (default: ${defaults.partitions})`)
    .option("--sequencers <count>", `Kafka: sequencer processes (default: ${defaults.sequencers})`)
    .option("--json", "print one JSON object in place of the report");
}

export function runOptionsOf(flags: RunFlags, faults: Faults): RunOptions {
  return {
    isolation: flags.isolation,
    agents: count(flags.agents, "--agents", most.agents, faults),
    seed: whole(flags.seed, "--seed", 0, faults) ?? 0,
    place: flags.brokers === undefined ? filePlace(flags, faults) : kafkaPlace(flags, flags.brokers, faults),
  };
}

function filePlace(flags: RunPlaceFlags, faults: Faults): FilePlace {
  for (const name of ["space", "partitions", "sequencers"] as const)
    if (flags[name] !== undefined) faults.add(`--${name} goes with --brokers HOST:PORT`);
  if (flags.file === "") faults.add("--file is empty; give a path");
  return { log: "sqlite", file: flags.file, keep: flags.keep === true };
}

function kafkaPlace(flags: RunPlaceFlags, brokers: string, faults: Faults): KafkaPlace {
  for (const name of ["file", "keep"] as const)
    if (flags[name] !== undefined) faults.add(`--${name} is for a space in a file, and --brokers for one on Kafka`);
  const { space, partitions = String(defaults.partitions), sequencers = String(defaults.sequencers) } = flags;
  // A space that others sequence needs none.
  const fewest = space === undefined ? 1 : 0;
  return {
    log: "kafka",
    brokers: brokersOf(brokers, faults),
    space,
    partitions: count(partitions, "--partitions", most.partitions, faults),
    sequencers: upTo(whole(sequencers, "--sequencers", fewest, faults) ?? 1, "--sequencers", most.sequencers, faults),
  };
}
