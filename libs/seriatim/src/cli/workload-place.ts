import { existsSync, statSync } from "node:fs";
import type { Command } from "commander";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import { brokersOf } from "./address.ts";
import type { Faults } from "./faults.ts";

export interface WorkloadPlaceFlags {
  readonly folder?: string;
  readonly brokers?: string;
}

/** Of a space that a workload makes on Kafka. */
const partitions = 4;

/** Declares the flags that say on which log a workload makes its spaces. It makes new ones, and touches no others. */
export function addWorkloadPlaceFlags(command: Command): Command {
  return command
    .option("--brokers <host:port,...>", "on Kafka, in new spaces under random names (default: in temporary files)")
    .option("--folder <path>", "where the temporary files go (default: the system's folder for them)");
}

export function workloadPlaceOf({ brokers, folder }: WorkloadPlaceFlags, faults: Faults): FilePlace | KafkaPlace {
  if (folder !== undefined && !(existsSync(folder) && statSync(folder).isDirectory()))
    faults.add(`--folder is ${JSON.stringify(folder)}, which is no folder; make it first, or name another`);
  if (brokers === undefined) return { log: "sqlite", file: undefined, keep: false };
  return { log: "kafka", brokers: brokersOf(brokers, faults), space: undefined, partitions, sequencers: 1 };
}
