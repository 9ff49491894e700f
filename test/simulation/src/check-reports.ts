import { decodeValue } from "@seriatim/client";
import type { Verdict } from "@seriatim/protocol";
import type { Report, Told } from "./agents.ts";
import { isCommitted, type Committed } from "./truth.ts";

export class Broken extends Error {}

export function hold(condition: boolean, what: () => string): asserts condition {
  if (!condition) throw new Broken(what());
}

/** What agents were told is what the log holds. */
export function checkReports(reports: readonly Report[], verdicts: readonly Verdict[]): void {
  const commits = new Map<string, Committed>();
  for (const verdict of verdicts.filter(isCommitted)) {
    const { id } = verdict;
    hold(id !== null && !commits.has(id), () => `intent ${id} has committed twice`);
    commits.set(id, verdict);
  }
  const at = new Map(verdicts.map((verdict) => [`${verdict.partition}@${verdict.offset}`, verdict]));
  for (const report of reports) {
    const committed = idsOf(report).filter((id) => commits.has(id));
    const where = (): string => `${report.agent}'s job ${report.job.number} (${report.job.perform.name})`;
    const { told } = report;
    if (told.kind === "committed") checkCommitted(told, commits, where);
    else if (!(told.kind === "failed" && told.code === "unknown_outcome"))
      hold(committed.length === 0, () => `${where()} was told ${JSON.stringify(told)}, and ${committed[0]} committed`);
    if (told.kind === "refused") checkRefused(told, at, where);
    if (told.kind === "committed" && report.job.validUntil !== undefined)
      checkTime(commits.get(told.intent)?.time ?? 0, report.job.validUntil, where);
    hold(committed.length <= 1, () => `${where()} committed as ${committed.join(" and ")}`);
  }
  checkBusiness(reports, commits);
}

/** Under a business id others try too: what they come to is checked for all together. */
function idsOf({ job, ids, told }: Report): readonly string[] {
  if (job.business !== undefined || (told.kind === "refused" && told.code === "id_reused")) return [];
  return told.kind === "refused" && !ids.includes(told.intent) ? [...ids, told.intent] : ids;
}

function checkCommitted(
  { version, intent, value }: Extract<Told, { readonly kind: "committed" }>,
  commits: ReadonlyMap<string, Committed>,
  where: () => string,
): void {
  if (version === undefined) return;
  const found = commits.get(intent);
  const stands = found?.partition === version.partition && found.offset === version.offset;
  hold(stands, () => `${where()} was told that ${intent} has committed at ${JSON.stringify(version)}, and it has not`);
  if (value === undefined) return;
  const { result } = found.outcome;
  const written = result === null ? "nothing" : Buffer.from(result).toString();
  const told = JSON.stringify(value);
  hold(written === told, () => `${where()} was told the result ${told}, and the log holds ${written}`);
}

function checkRefused(
  { code, version, intent }: Extract<Told, { readonly kind: "refused" }>,
  at: ReadonlyMap<string, Verdict>,
  where: () => string,
): void {
  const verdict = at.get(`${version.partition}@${version.offset}`);
  const { outcome } = verdict ?? {};
  const isSame = outcome?.kind === "refused" ? outcome.code === code : outcome?.kind === code;
  // Then the place is that of whoever claimed the id.
  hold(isSame || code === "id_reused", () => `${where()}: ${intent} was refused ${code}, which the log does not hold`);
}

function checkTime(time: number, validUntil: number, where: () => string): void {
  hold(time < validUntil, () => `${where()} committed at ${time}, and was valid until ${validUntil}`);
}

/** A business action is done once, and all who asked were told the same. */
function checkBusiness(reports: readonly Report[], commits: ReadonlyMap<string, Committed>): void {
  const done = new Map<string, string>();
  for (const id of commits.keys()) {
    const action = /^run\/(.*)\/\d+$/.exec(id)?.[1];
    if (action === undefined) continue;
    hold(!done.has(action), () => `the action ${action} was done twice: ${done.get(action)} and ${id}`);
    done.set(action, id);
  }
  for (const { job, told, agent } of reports) {
    if (job.business === undefined || told.kind !== "committed") continue;
    const intent = done.get(job.business);
    hold(intent === told.intent, () => `${agent} was told that ${told.intent} did ${job.business}; ${intent} did`);
  }
}

/** Decoded, as agents wrote it. */
export function valueOf(value: Uint8Array): unknown {
  return decodeValue(value);
}
