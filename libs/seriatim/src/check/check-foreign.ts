import { judge, makeReport, Objections, readForeign, type Report } from "@seriatim/checker";
import type { ForeignChecked } from "./checked.ts";
import type { CheckOptions } from "./run-check.ts";

/** Judges a history that others wrote. There is no log to audit. */
export async function checkForeign(
  { path, format }: ForeignChecked,
  { level: asked, session, realTime, examples }: CheckOptions,
): Promise<Report> {
  const history = await readForeign(path, format);
  const judgement = await judge(history, { session, realTime, examples });
  const evidence = {
    source: `${path} (${history.format})`,
    judgement,
    unjudged: undefined,
    objections: new Objections(),
    partitions: new Map(),
    starts: new Map(),
    rules: [],
    notes: [],
  };
  return makeReport(evidence, { asked, session, realTime, extract: undefined });
}
