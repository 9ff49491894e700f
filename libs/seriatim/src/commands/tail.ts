import { Command } from "commander";
import type { Log } from "@seriatim/log";
import { Failure, fromBytes, type Verdict } from "@seriatim/protocol";
import { nameOf } from "../advances.ts";
import { Faults } from "../cli/faults.ts";
import { followVerdicts } from "../cli/follow-verdicts.ts";
import { untilInterrupted } from "../cli/interrupt.ts";
import { whole } from "../cli/numbers.ts";
import { openFile } from "../cli/open-space.ts";
import { coloured, escapeUnprintable, print, printJson, say } from "../cli/output.ts";
import { addJsonFlag, addPlaceFlags, placeOf, type Place } from "../cli/place.ts";
import type { EmbeddedSpace } from "../embedded-space.ts";
import { KafkaLogs } from "../kafka-logs.ts";

interface Flags {
  readonly from?: string;
  readonly partition?: string;
  readonly follow: boolean;
  readonly json?: true;
}

export function tailCommand(): Command {
  const command = new Command("tail")
    .description(
      "print verdicts as they come: version, log time, outcome, agent, intent, and what was written or in the way",
    )
    .option("--from <offset>", "begin with the verdict of this offset (default: the last 10 of each partition)")
    .option("--partition <number>", "only this partition")
    .option("--follow", "go on until Ctrl-C (default)", true)
    .option("--no-follow", "stop where the log ended at the start");
  return addJsonFlag(addPlaceFlags(command), "print one JSON object a line").action(tail);
}

async function tail(flags: Flags, command: Command): Promise<void> {
  const faults = new Faults();
  const place = placeOf(command, faults);
  const from = whole(flags.from, "--from", 0, faults);
  const partition = whole(flags.partition, "--partition", 0, faults);
  faults.check();
  if (place === undefined) return;
  const onVerdict = (verdict: Verdict): void =>
    flags.json === true ? printJson(toJson(verdict)) : print(toLine(verdict));
  await untilInterrupted(
    async (signal) => {
      const source = await openSource(place);
      const { verdicts, codec } = source;
      try {
        const partitions = partitionsOf(verdicts, partition);
        await followVerdicts({
          verdicts,
          codec,
          partitions,
          from,
          follow: flags.follow,
          signal,
          onVerdict,
          onOddity: say,
        });
      } finally {
        await source.close();
      }
    },
    { isNormal: flags.follow },
  );
}

async function openSource(place: Place): Promise<EmbeddedSpace | KafkaLogs> {
  return place.kind === "file" ? openFile(place.path, { writes: false }) : KafkaLogs.open(place);
}

function partitionsOf({ name, partitions }: Log, only: number | undefined): number[] {
  if (only === undefined) return Array.from({ length: partitions }, (_, partition) => partition);
  if (only < partitions) return [only];
  throw new Failure(
    "invalid_argument",
    `${name} has no partition ${only}: its partitions are numbered from 0 to ${partitions - 1}`,
  );
}

function toLine(verdict: Verdict): string {
  const { partition, offset, time, agent, id, outcome } = verdict;
  const who = [agent, id].filter((text) => text !== null).map(escapeUnprintable);
  return [
    nameOf({ partition, offset }).padEnd(8),
    isoOf(time),
    coloured(outcomeText(verdict).padEnd(18), outcome.kind === "refused" ? "red" : "green"),
    ...who,
    ...detailsOf(verdict).map(escapeUnprintable),
  ]
    .join("  ")
    .trimEnd();
}

function outcomeText({ outcome }: Verdict): string {
  return outcome.kind === "refused" ? `refused ${outcome.code}` : outcome.kind;
}

function detailsOf({ partition, outcome }: Verdict): string[] {
  const version = (offset: number): string => nameOf({ partition, offset });
  switch (outcome.kind) {
    case "committed":
      return outcome.writes.map(({ key, value }) => (value === null ? `-${fromBytes(key)}` : fromBytes(key)));
    case "refused": {
      const conflicts = outcome.conflicts.map(
        (conflict) => `${fromBytes(conflict.key)} by ${version(conflict.version)}`,
      );
      const first = outcome.first === null ? [] : [`first ${version(outcome.first)}`];
      return [...(outcome.reason === null ? [] : [outcome.reason]), ...conflicts, ...first];
    }
    case "repeated":
      return [`first ${version(outcome.first)}`];
    case "held":
      return [`${outcome.index}: ${outcome.name}`, `until ${isoOf(outcome.deadline)}`];
    case "genesis":
    case "cancelled":
    case "expired":
      return [];
  }
}

function toJson(verdict: Verdict): object {
  const { partition, offset, time, agent, id, outcome } = verdict;
  const version = nameOf({ partition, offset });
  return { version, time: isoOf(time), outcome: outcome.kind, agent, intent: id, ...jsonOf(verdict) };
}

function jsonOf({ partition, outcome }: Verdict): object {
  const version = (offset: number): string => nameOf({ partition, offset });
  switch (outcome.kind) {
    case "committed":
      return {
        writes: outcome.writes.map(({ key, value }) => ({ key: fromBytes(key), deleted: value === null })),
        effects: outcome.effects.map(({ name }) => name),
        holds: outcome.holds.map(version),
      };
    case "refused":
      return {
        code: outcome.code,
        reason: outcome.reason,
        conflicts: outcome.conflicts.map(({ kind, key, version: offset }) => ({
          kind,
          key: fromBytes(key),
          version: version(offset),
        })),
        first: outcome.first === null ? null : version(outcome.first),
      };
    case "repeated":
      return { first: version(outcome.first) };
    case "held": {
      const { index, name, undo, deadline, timeout } = outcome;
      return { index, name, undo, deadline: isoOf(deadline), timeout };
    }
    case "genesis":
    case "cancelled":
    case "expired":
      return {};
  }
}

function isoOf(time: number): string {
  return new Date(time).toISOString();
}
