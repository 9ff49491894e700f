import type { Crew } from "../../kill/crew.ts";
import { faults, type Fault } from "./deck.ts";
import type { FaultPlace } from "./place.ts";
import type { Verdict } from "./verdict.ts";

export interface Report {
  readonly seed: number;
  readonly seconds: number;
  /** How often each fault has fired. */
  readonly fired: Readonly<Partial<Record<Fault, number>>>;
  /** What the network and the receiver did to single requests. */
  readonly requests: Readonly<Record<string, number>>;
  /** How often a service that was started without a broker had to be started again. */
  readonly restarts: number;
  /** Failures that agents met, by code; all were looked into. */
  readonly failures: Readonly<Record<string, number>>;
  readonly acknowledged: number;
  /** The longest time without an acknowledgement, in seconds. */
  readonly longestQuiet: number;
  readonly unknown: { readonly before: number; readonly committed: number; readonly left: number };
  readonly verdicts: number;
  readonly repeats: number;
  /** Of commits: effects deferred, and calls held; and how often the receiver was called for what. */
  readonly effects: { readonly deferred: number; readonly held: number };
  readonly calls: Readonly<Record<"act" | "reserve" | "release", number>>;
  /** The checker's first line. */
  readonly checked: string;
  /** All that is wrong, in words. */
  readonly violations: readonly string[];
}

type Run = Pick<Report, "seed" | "seconds" | "fired">;

export function reportOf(run: Run, place: FaultPlace, crew: Crew, verdict: Verdict): Report {
  const { judgement, history, effects, check } = verdict;
  return {
    ...run,
    requests: { ...place.proxy?.counts, ...receiverCounts(place) },
    restarts: crew.restarts,
    failures: Object.fromEntries(crew.journal.failures),
    acknowledged: judgement.acknowledged,
    longestQuiet: Math.round(crew.journal.longestQuiet / 100) / 10,
    unknown: { before: judgement.unknown, committed: judgement.found, left: judgement.unknownLeft },
    verdicts: history.verdicts,
    repeats: history.repeats,
    effects: { deferred: effects.asked, held: effects.held },
    calls: callsOf(place),
    checked: check.headline,
    violations: [...violationsOf(verdict), ...crew.journal.violations],
  };
}

function receiverCounts({ receiver }: FaultPlace): Record<string, number> {
  return { "call refused": receiver.counts.refused, "call cut": receiver.counts.cut };
}

function callsOf({ receiver: { counts } }: FaultPlace): Report["calls"] {
  return { act: counts.act, reserve: counts.reserve, release: counts.release };
}

function violationsOf({ judgement, history, effects, openEffect, check }: Verdict): string[] {
  const { lost, doubled, unequal, unknownLeft } = judgement;
  return [
    ...lost.map((name) => `lost: ${name}`),
    ...doubled.map((name) => `doubled: ${name}`),
    ...unequal,
    ...(unknownLeft === 0 ? [] : [`${unknownLeft} outcomes are left unknown`]),
    ...history.differences,
    ...effects.lost.map((args) => `effect lost: ${args}`),
    ...effects.wrong,
    ...(openEffect === undefined ? [] : [`an effect is stuck: ${openEffect}`]),
    ...(check.answer === "holds" ? [] : [`the checker: ${check.headline}`]),
    ...check.objections.map((objection) => `the checker: ${JSON.stringify(objection)}`),
  ];
}

/** One line for people. */
export function lineOf(report: Report): string {
  const { seed, seconds, fired, requests, acknowledged, unknown, verdicts, repeats, effects, failures } = report;
  return [
    `seed ${seed}, ${seconds} s: ${listOf(fired)}`,
    `of requests: ${listOf(requests)}`,
    `agents met ${listOf(failures)}`,
    `services started again for want of a broker ${report.restarts}`,
    `acknowledged ${acknowledged}, unknown ${unknown.before}, of which ${unknown.committed} had committed, left ${unknown.left}; none for at most ${report.longestQuiet} s`,
    `verdicts ${verdicts}, repeats ${repeats}`,
    `effects deferred ${effects.deferred}, calls held ${effects.held}; calls made: ${listOf(report.calls)}`,
    `checker: ${report.checked.replaceAll(/\s+/g, " ")}`,
    `violations ${report.violations.length}`,
  ].join("; ");
}

/** Of the faults those too that never fired. */
function listOf(counts: Readonly<Partial<Record<string, number>>>): string {
  const names = Object.keys(counts);
  if (names.length === 0) return "none";
  return names.map((name) => `${name} ${counts[name] ?? 0}`).join(", ");
}

export function firedOf(fired: ReadonlyMap<Fault, number>): Report["fired"] {
  return Object.fromEntries(faults.map((fault) => [fault, fired.get(fault) ?? 0]));
}
