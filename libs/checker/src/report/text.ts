import { words, times } from "./headline.ts";
import type { Report, ReportedCycle, ReportedRule, ReportedTransaction } from "./report.ts";

/** The report as people read it, after its headline. */
export function reportLines(report: Report, { cycles = true }: { readonly cycles?: boolean } = {}): string[] {
  const sections = [
    countLines(report),
    findingLines(report),
    objectionLines(report),
    ruleLines(report.rules),
    effectLines(report),
    badReadLines(report),
    ...(cycles ? report.cycles : []).map((cycle, index) => cycleLines(cycle, index + 1)),
    moreLines(report),
    coverageLines(report),
  ];
  const lines: string[] = [];
  for (const section of sections) if (section.length > 0) lines.push("", ...section);
  return lines;
}

function countLines({ coverage, anomalies, components }: Report): string[] {
  const { checked, refused } = coverage;
  const decided = checked + refused;
  const rate = decided === 0 ? "" : ` (${((100 * refused) / decided).toFixed(1)}%)`;
  const found = Object.entries(anomalies).map(([name, count]) => `${words(name)} ${count}`);
  return [
    `${checked} committed, ${refused} refused${rate}.`,
    ...(found.length === 0
      ? []
      : [
          `Found: ${found.join(", ")}; in ${components} strongly connected ${components === 1 ? "component" : "components"}.`,
        ]),
  ];
}

function findingLines({ findings, claimed, levels }: Report): string[] {
  const width = Math.max(0, ...findings.map(({ condition }) => condition.length));
  const lines = findings.map(({ condition, answer, reason }) =>
    `  ${words(condition).padEnd(width)}  ${answer}${reason === null ? "" : `: ${reason}`}`.trimEnd(),
  );
  const claims = claimed
    .filter((claim) => claim.claimed > 0)
    .map(({ isolation, claimed: count, broken }) => `  claimed ${isolation}: ${count}, of which broken ${broken}`);
  return [...lines, ...claims, ...(levels === null ? [] : [levelLine(levels)])];
}

function levelLine(levels: NonNullable<Report["levels"]>): string {
  const { reached, undecided, staleGenerations, cascades, laneBreaks } = levels;
  const open = undecided ? ", whether more is undecided" : "";
  return `  level L${reached}${open}: stale generations ${staleGenerations}, causal cascades ${cascades}, lanes out of order ${laneBreaks}; L4 (tools) is not covered`;
}

function objectionLines({ objections, objectionCounts }: Report): string[] {
  if (objections.length === 0) return [];
  const total = Object.values(objectionCounts).reduce((sum, count) => sum + count, 0);
  const shown = objections.map(({ name, partition, offset, message }) => {
    const place = partition === null || offset === null ? "" : `${partition}@${offset}`;
    return `  ${name.padEnd(13)}  ${place.padEnd(8)}  ${message}`;
  });
  const more = total - objections.length;
  return [`The log itself: ${total} objections`, ...shown, ...(more > 0 ? [`  and ${more} more`] : [])];
}

function ruleLines(rules: readonly ReportedRule[]): string[] {
  return rules.flatMap(({ name, breaks, evaluated, standing, first }) => {
    if (first === null) return [`kept    ${name}  (after ${evaluated} commits that touch it)`];
    const who = `by agent ${first.agent ?? "?"}, intent ${first.id ?? "?"}, at ${first.time}`;
    return [
      `BROKEN  ${name}  ${times(breaks)} in ${evaluated} commits that touch it; ${standing} still are`,
      `        first at ${first.version} ${who}: ${first.message}`,
    ];
  });
}

function effectLines({ effects }: Report): string[] {
  if (effects === null || Object.values(effects).every((count) => count === 0)) return [];
  const parts = Object.entries(effects).filter(([, count]) => count > 0);
  return [`Effects of commits: ${parts.map(([name, count]) => `${count} ${name}`).join(", ")}.`];
}

function badReadLines({ badReads }: Report): string[] {
  return badReads.length === 0 ? [] : ["Reads that no order explains:", ...badReads.map((text) => `  ${text}`)];
}

function cycleLines(
  { anomaly, component, transactions, dependencies, command, minimal }: ReportedCycle,
  number: number,
) {
  const among =
    component > transactions.length
      ? `, ${minimal ? "the smallest" : "one"} among ${component} that hang together`
      : "";
  const left = transactions.filter((transaction) => transaction.left.length > 0);
  return [
    `Cycle ${number}: ${anomaly}, ${transactions.length} transactions${among}`,
    ...transactions.map(transactionLine),
    ...dependencies.map(({ sentence }) => `  ${sentence}.`),
    `  So each of them came before the others: there is no such order.`,
    ...left.map(({ name, left: effects }) => `  Of ${name} had left by then: ${effects.join(", ")}.`),
    ...(command === null ? [] : [`  Just this: ${command}`]),
  ];
}

function transactionLine({ name, version, agent, id, time, isolation }: ReportedTransaction): string {
  const parts = [
    ...(agent === null ? [] : [version === null ? agent : `agent ${agent}`]),
    ...(id === null ? [] : [`intent ${id}`]),
    ...(time === null ? [] : [time]),
    ...(isolation === null ? [] : [`at level ${isolation}`]),
  ];
  return `  ${name}${parts.length === 0 ? "" : `: ${parts.join(", ")}`}`;
}

function moreLines({ cycles, components }: Report): string[] {
  const more = components - cycles.length;
  return more > 0 ? [`${more} more components are not shown.`] : [];
}

function coverageLines({ coverage }: Report): string[] {
  const { checked, refused, undecided, skipped, partitions, decisions, notes } = coverage;
  return [
    `Covered: ${checked} checked, ${refused} refused, ${undecided} undecided, ${skipped} skipped${decisions === null ? "" : `; ${decisions} verdicts derived anew`}.`,
    ...partitions.map(({ partition, records, verdicts, repeats, early, undecidedFrom, head }) => {
      const parts = [
        `${records} records, ${verdicts} verdicts`,
        ...(repeats > 0 ? [`${repeats} repeated`] : []),
        ...(early > 0 ? [`${early} sent again in order`] : []),
        ...(undecidedFrom === null ? [] : [`undecided from ${partition}@${undecidedFrom}`]),
        ...(head === null ? [] : [`head ${head.chain.slice(0, 16)} at ${partition}@${head.offset}`]),
      ];
      return `  partition ${partition}: ${parts.join(", ")}`;
    }),
    ...notes.map((note) => `  Note: ${note}.`),
  ];
}
