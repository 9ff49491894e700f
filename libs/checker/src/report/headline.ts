import { conditionOf } from "./answer.ts";
import type { ReportOptions } from "./make-report.ts";
import type { Report } from "./report.ts";

/** The first line: answer, anomaly, claimed and actual level, offsets. */
export function headlineOf(report: Omit<Report, "headline">, options: ReportOptions): string {
  const parts = [
    `${report.answer.toUpperCase()}  ${reasonOf(report, options)}`,
    levelsText(report),
    placesText(report),
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function reasonOf(report: Omit<Report, "headline">, options: ReportOptions): string {
  const [objection] = report.objections;
  if (objection !== undefined) {
    const place = objection.offset === null ? "" : ` at ${objection.partition}@${objection.offset}`;
    return `${objection.name}${place}: ${objection.message}`;
  }
  const condition = conditionOf(options.asked, options);
  const finding = report.findings.find((one) => one.condition === condition);
  const name = condition === undefined ? "audit" : words(condition);
  if (finding?.answer === "violated") return `not ${name}: ${anomalyText(report)}`;
  const rule = report.rules.find(({ answer }) => answer === "violated");
  if (rule !== undefined) return `${rule.name}: broken ${times(rule.breaks)}, first at ${rule.first?.version ?? "?"}`;
  if (report.answer === "undecided") return `${name}: ${doubtOf(report, finding?.reason ?? null)}`;
  return name;
}

function doubtOf({ coverage }: Omit<Report, "headline">, reason: string | null): string {
  const from = coverage.partitions.find(({ undecidedFrom }) => undecidedFrom !== null);
  if (from !== undefined) return `no verdicts from ${from.partition}@${from.undecidedFrom} on`;
  return reason ?? coverage.notes[0] ?? "the history does not say enough";
}

/** The weaker the level that forbids it, the graver. */
const gravity = ["G0", "G1c", "G-single", "G2-item", "G2"] as const;

function anomalyText({ anomalies, badReads, levels }: Omit<Report, "headline">): string {
  const gravest = gravity.find((name) => (anomalies[name] ?? 0) > 0);
  const [read] = badReads;
  if (read !== undefined) return read;
  const named = Object.keys(anomalies).filter((name) => ["lost_update", "write_skew", "long_fork"].includes(name));
  if (gravest === undefined) return levels === null ? "see below" : "see the counts";
  const also = named.length === 0 ? "" : ` (${named.map(words).join(", ")})`;
  return `${gravest}${also}`;
}

function levelsText({ claimed, found }: Omit<Report, "headline">): string {
  const names = claimed.filter((claim) => claim.claimed > 0).map(({ isolation }) => isolation);
  const claims = names.length === 0 ? [] : [`claimed ${names.join(" and ")}`];
  return [...claims, ...(found === null ? [] : [`found ${found}`])].join(", ");
}

function placesText({ coverage, source }: Omit<Report, "headline">): string {
  const places = coverage.partitions.map(({ partition, start, last }) => `${partition}@${start}..${last ?? "nothing"}`);
  return `${places.length === 0 ? "" : `${places.join(", ")} of `}${source}`;
}

export function words(name: string): string {
  return name.replaceAll("_", " ");
}

export function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
