import type { Cycle, Dependency, VersionName } from "../judgement.ts";
import type { HistoryTransaction } from "../history.ts";
import { rangeText, type Naming } from "./naming.ts";
import type { ReportedDependency } from "./report.ts";

/** The dependencies of a cycle, each with the reason why one transaction came before the next. */
export function toldDependencies({ transactions, dependencies }: Cycle, naming: Naming): ReportedDependency[] {
  return dependencies.flatMap((dependency, index) => {
    const from = transactions[index];
    const to = transactions[(index + 1) % transactions.length];
    if (from === undefined || to === undefined) return [];
    const names = { from: naming.nameOf(from), to: naming.nameOf(to) };
    const sentence = `${reasonOf(dependency, from, names)}: so ${names.from} came before ${names.to}`;
    return [{ kind: dependency.kind, ...names, key: dependency.key, sentence }];
  });
}

interface Names {
  readonly from: string;
  readonly to: string;
}

function reasonOf(dependency: Dependency, from: HistoryTransaction, names: Names): string {
  const { kind, key, after, before, inferred } = dependency;
  switch (kind) {
    case "ww":
      return `${names.from} wrote ${key}${at(before)}, and ${names.to} overwrote that${at(after)}${guessed(inferred)}`;
    case "wr":
      return `${names.from} ${changed(dependency)} ${key}${at(before)}, and ${names.to} ${sawIt(dependency)}`;
    case "rw":
      return `${names.from} ${readOf(dependency, from)}; ${names.to} ${changed(dependency)} ${key}${at(after)}, which ${wouldShow(dependency, names.from)}${guessed(inferred)}`;
    case "session":
      return `${names.to} is a later transaction of the session of ${names.from}`;
    case "time":
      return `${names.from} had ended when ${names.to} began`;
  }
}

/** What the reader of a read-before-write read. */
function readOf({ key, range, predicate, before }: Dependency, from: HistoryTransaction): string {
  if (range !== null) return `read ${rangeText(range)}${from.kind === "logged" ? ` as of ${from.snapshot}` : ""}`;
  if (predicate !== null) return `read ${predicate}`;
  if (before === null) return `read ${key} and found nothing`;
  return `read ${key}${at(before)}`;
}

function wouldShow({ range, predicate }: Dependency, reader: string): string {
  return range === null && predicate === null ? `${reader} did not see` : `${reader}'s read would have seen`;
}

function sawIt({ range, predicate }: Dependency): string {
  if (range !== null) return `saw that in ${rangeText(range)}`;
  return predicate === null ? "read that" : `saw that in ${predicate}`;
}

function changed({ change }: Dependency): string {
  switch (change) {
    case "insert":
      return "inserted";
    case "update":
      return "changed";
    case "delete":
      return "deleted";
    case null:
      return "wrote";
  }
}

/** A version of a log is an offset, of a foreign history a value. */
function at(version: VersionName): string {
  if (version === null) return "";
  return typeof version === "number" ? ` at ${version}` : ` as ${version}`;
}

function guessed(inferred: boolean): string {
  return inferred ? " (the other order would contradict the rest)" : "";
}
