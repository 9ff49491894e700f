import { Option, type Command } from "commander";
import { isolations, type Isolation } from "@seriatim/protocol";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import type { Sizes } from "../workloads/contest.ts";
import type { Faults } from "./faults.ts";
import { count, upTo } from "./flags.ts";
import { whole } from "./numbers.ts";
import { addWorkloadPlaceFlags, workloadPlaceOf, type WorkloadPlaceFlags } from "./workload-place.ts";

export interface ContestFlags extends WorkloadPlaceFlags {
  readonly agents: string;
  readonly transactions: string;
  readonly keys?: string;
  readonly isolation?: Isolation;
  readonly seed: string;
  readonly processes?: true;
  readonly durability: "full" | "normal";
  readonly json?: true;
}

const most = { agents: 64, transactions: 100_000, keys: 1_000, think: 60_000 } as const;

/** Declares the flags that the workloads have in common. */
export function addContestFlags(command: Command): Command {
  command
    .option("--agents <count>", "how many agents", "8")
    .option("--transactions <count>", "how many transactions each of them carries out", "30")
    .addOption(new Option("--isolation <level>", "at one level").choices([...isolations].toReversed()))
    .option("--seed <number>", "who wants what; the same for the same seed", "1")
    .option("--processes", "each agent a process of its own (default: all in this one)")
    .addOption(
      new Option("--durability <level>", "files: whether a commit is synced to the disk")
        .choices(["full", "normal"])
        .default("full"),
    )
    .option("--json", "print one JSON object for each row");
  return addWorkloadPlaceFlags(command);
}

export function sizesOf(flags: ContestFlags, faults: Faults): Sizes {
  return {
    agents: count(flags.agents, "--agents", most.agents, faults),
    transactions: count(flags.transactions, "--transactions", most.transactions, faults),
    keys: count(flags.keys ?? "1", "--keys", most.keys, faults),
    seed: whole(flags.seed, "--seed", 0, faults) ?? 0,
    processes: flags.processes === true,
  };
}

/** In ms. */
export function thinkTime(text: string, faults: Faults): number {
  return upTo(whole(text, "--think", 0, faults) ?? 0, "--think", most.think, faults);
}

export function contestPlace(flags: ContestFlags, faults: Faults): FilePlace | KafkaPlace {
  const place = workloadPlaceOf(flags, faults);
  return place.log === "sqlite" ? { ...place, synchronous: flags.durability } : place;
}

export const contestExitCodes = `
Exit codes:
  0    what each level promises was kept, and the counts and the checker agree
  1    something was lost or stale that must not be, or the checker objects
  64   bad arguments; nothing was done
  70   a file, broker or process failed
  130  ended by Ctrl-C`;
