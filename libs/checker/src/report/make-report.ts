import { bufferOf } from "@seriatim/protocol";
import { effectStandings } from "../effects/effect-state.ts";
import type { Objections } from "../audit/objections.ts";
import type { HistoryTransaction, Span } from "../history.ts";
import type { Anomaly, BadRead, Cycle, Judgement } from "../judgement.ts";
import type { PartitionReading } from "../reading/partition-reading.ts";
import type { RuleWatch } from "../rules/rule-watch.ts";
import { conditionOf, foundLevel, worst } from "./answer.ts";
import { headlineOf } from "./headline.ts";
import { Naming } from "./naming.ts";
import type { AskedLevel, Report, ReportedCycle, ReportedPartition, ReportedRule } from "./report.ts";
import { toldDependencies } from "./sentences.ts";

/** What a report is made of. */
export interface Evidence {
  /** What was judged, for people. */
  readonly source: string;
  /** Undefined where the history cannot be judged, and why. */
  readonly judgement: Judgement | undefined;
  readonly unjudged: string | undefined;
  readonly objections: Objections;
  /** Of a space; of a foreign history none. */
  readonly partitions: ReadonlyMap<number, PartitionReading>;
  readonly starts: ReadonlyMap<number, number>;
  readonly rules: readonly RuleWatch[];
  /** More to be said of what was taken for granted. */
  readonly notes: readonly string[];
}

export interface ReportOptions {
  readonly asked: AskedLevel;
  readonly session: boolean;
  readonly realTime: boolean;
  /** Gives the commands that extract and check a part of a log. */
  readonly extract: ((span: Span) => string) | undefined;
}

export function makeReport(evidence: Evidence, options: ReportOptions): Report {
  const { source, judgement, objections, rules } = evidence;
  const partitions = [...evidence.partitions.entries()].map(([partition, reading]) =>
    partitionOf(partition, evidence.starts.get(partition) ?? 0, reading),
  );
  const naming = new Naming(evidence.starts.size > 1);
  const report: Omit<Report, "headline"> = {
    answer: answerOf(evidence, options, partitions),
    source,
    asked: options.asked,
    claimed: (judgement?.claims ?? []).map(({ isolation, claimed, broken }) => ({ isolation, claimed, broken })),
    found: foundLevel(judgement),
    findings: findingsOf(judgement),
    anomalies: anomaliesOf(judgement),
    levels: judgement?.levels ?? null,
    components: judgement?.components ?? 0,
    cycles: (judgement?.cycles ?? []).map((cycle) => cycleOf(cycle, naming, options, evidence.starts)),
    badReads: (judgement?.badReads ?? []).map((read) => badReadText(read, naming)),
    objections: objections.kept,
    objectionCounts: Object.fromEntries(objections.counts),
    rules: rules.map(ruleOf),
    effects: effectsOf(evidence),
    coverage: coverageOf(evidence, partitions),
  };
  return { ...report, headline: headlineOf(report, options) };
}

function answerOf(
  { judgement, unjudged, objections, rules }: Evidence,
  options: ReportOptions,
  partitions: readonly ReportedPartition[],
): Report["answer"] {
  const condition = conditionOf(options.asked, options);
  const isUndecided = partitions.some(({ undecided }) => undecided > 0);
  return worst([
    ...(objections.counts.size > 0 ? (["violated"] as const) : []),
    ...rules.map(({ breaks }) => (breaks > 0 ? "violated" : "holds")),
    ...(condition === undefined ? [] : [judgement?.findings[condition]?.answer ?? "undecided"]),
    ...(isUndecided || (unjudged !== undefined && condition !== undefined) ? (["undecided"] as const) : []),
  ]);
}

function findingsOf(judgement: Judgement | undefined): Report["findings"] {
  if (judgement === undefined) return [];
  return Object.entries(judgement.findings).flatMap(([condition, finding]) =>
    finding === null ? [] : [{ condition: condition as keyof Judgement["findings"], ...finding }],
  );
}

function anomaliesOf(judgement: Judgement | undefined): Report["anomalies"] {
  const counts = Object.entries(judgement?.counts ?? {}) as [Anomaly, number | null][];
  return Object.fromEntries(counts.filter(([, count]) => count !== null && count > 0));
}

function cycleOf(
  cycle: Cycle,
  naming: Naming,
  { extract }: ReportOptions,
  starts: ReadonlyMap<number, number>,
): ReportedCycle {
  const span = spanOf(cycle.transactions, starts);
  return {
    anomaly: cycle.anomaly,
    component: cycle.component,
    minimal: cycle.minimal,
    transactions: cycle.transactions.map((transaction) => naming.reported(transaction)),
    dependencies: toldDependencies(cycle, naming),
    command: span === undefined || extract === undefined ? null : extract(span),
  };
}

/**
 * The part of a log that holds all of the transactions and what each of them could have read; undefined where they are
 * not of one log.
 */
function spanOf(transactions: readonly HistoryTransaction[], starts: ReadonlyMap<number, number>): Span | undefined {
  let span: Span | undefined;
  for (const transaction of transactions) {
    if (transaction.kind === "outside") continue;
    if (transaction.kind === "foreign") return undefined;
    const { partition, offset, snapshot } = transaction;
    if (span !== undefined && span.partition !== partition) return undefined;
    const from = Math.max(starts.get(partition) ?? 0, Math.min(span?.from ?? Infinity, snapshot + 1, offset));
    span = { partition, from, to: Math.max(span?.to ?? 0, offset) };
  }
  return span;
}

function badReadText({ anomaly, reader, writer, key, version }: BadRead, naming: Naming): string {
  const who = naming.nameOf(reader);
  const what = version === null ? `${key} as absent` : `${key} as of ${version}`;
  const wrote = writer === null ? "" : ` ${naming.nameOf(writer)} wrote`;
  switch (anomaly) {
    case "thin_air":
      return `${who} read ${what}, which nobody wrote (thin_air)`;
    case "G1a":
      return `${who} read ${what}, which${wrote} and did not commit (G1a)`;
    case "G1b":
      return `${who} read ${what}, which${wrote} and overwrote itself (G1b)`;
    case "internal":
      return `${who} read ${what}, and had itself written or read something else there (internal)`;
    case "incompatible_order":
      return `${who} read ${what}, and no one order of its versions explains that (incompatible_order)`;
  }
}

function ruleOf({ name, breaks, evaluated, standing, first }: RuleWatch): ReportedRule {
  return {
    name,
    answer: breaks > 0 ? "violated" : "holds",
    breaks,
    evaluated,
    standing: standing.size,
    first:
      first === undefined
        ? null
        : {
            version: `${first.partition}@${first.offset}`,
            time: new Date(first.time).toISOString(),
            agent: first.agent,
            id: first.id,
            message: first.message,
          },
  };
}

function partitionOf(partition: number, start: number, { audit }: PartitionReading): ReportedPartition {
  const { head, counts } = audit;
  return {
    partition,
    start,
    last: audit.last ?? null,
    ...counts,
    undecidedFrom: audit.undecidedFrom ?? null,
    head:
      head === undefined || head.offset < 0
        ? null
        : { offset: head.offset, chain: bufferOf(head.chain).toString("hex") },
  };
}

function effectsOf({ partitions }: Evidence): Report["effects"] {
  const standing = { pending: 0, claimed: 0, done: 0, failed: 0, unknown: 0, dropped: 0 };
  let isKnown = false;
  for (const { effects } of partitions.values()) {
    if (effects === undefined) continue;
    isKnown = true;
    for (const name of effectStandings) standing[name] += effects.counts.standing[name];
  }
  return isKnown ? standing : null;
}

function coverageOf(
  { judgement, unjudged, partitions, starts, notes }: Evidence,
  reported: readonly ReportedPartition[],
): Report["coverage"] {
  const readings = [...partitions.values()];
  const sum = (of: (reading: PartitionReading) => number): number =>
    readings.reduce((total, reading) => total + of(reading), 0);
  const coverage = judgement?.coverage;
  const derived = sum((reading) => reading.derived);
  const unchained = sum(({ audit }) => audit.counts.unchained);
  const passed = sum(({ decisions }) => decisions?.counts.passed ?? 0);
  const isSliced = [...starts.values()].some((start) => start > 0);
  return {
    checked: coverage?.checked ?? 0,
    refused: coverage?.refused ?? 0,
    undecided: (coverage?.undecided ?? 0) + reported.reduce((total, { undecided }) => total + undecided, 0),
    skipped: coverage?.skipped ?? 0,
    derived,
    decisions: readings.some(({ decisions }) => decisions !== undefined)
      ? sum(({ decisions }) => decisions?.counts.derived ?? 0)
      : null,
    partitions: reported,
    notes: [
      ...(unjudged === undefined ? [] : [unjudged]),
      ...(isSliced
        ? ["it is not read from its beginning: versions below the first offset read are the initial state"]
        : []),
      ...(derived > 0 ? [`no verdicts were read: ${derived} outcomes are derived by the checker's own rules`] : []),
      ...(unchained > 0
        ? [`${unchained} records are taken at their word: their chain hashes are not there, or were not looked at`]
        : []),
      ...(passed > 0
        ? [`${passed} verdicts rest on what stands below the first offset read, and were not derived`]
        : []),
      ...(coverage?.assumptions ?? []).filter((text) => !isSliced || !text.startsWith("versions below the first")),
      ...notes,
    ],
  };
}
