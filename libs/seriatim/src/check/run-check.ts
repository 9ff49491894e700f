import {
  judge,
  makeReport,
  RuleWatch,
  SpaceHistory,
  type AskedLevel,
  type Evidence,
  type Report,
  type RuleKind,
  type Span,
  type SpaceSource,
} from "@seriatim/checker";
import type { Digest } from "@seriatim/protocol";
import { quoted } from "../cli/place.ts";
import type { Progress } from "./progress.ts";

export interface CheckOptions {
  readonly level: AskedLevel;
  readonly session: boolean;
  readonly realTime: boolean;
  readonly decisions: boolean;
  /** Whether an export's chain hashes are checked. */
  readonly audit: boolean;
  readonly rules: readonly RuleKind[];
  readonly heads: ReadonlyMap<number, Digest>;
  /** How many cycles and bad reads are shown. */
  readonly examples: number;
}

/** Audits a space and judges its history. */
export async function checkSpace(
  source: SpaceSource,
  options: CheckOptions,
  { signal, progress }: { readonly signal: AbortSignal; readonly progress: Progress },
): Promise<Report> {
  const { decisions, heads } = options;
  const rules = options.rules.map((kind) => new RuleWatch(kind));
  const history = new SpaceHistory(source, {
    decisions,
    trustsExports: !options.audit,
    heads,
    rules,
    signal,
    onProgress: progress.report,
  });
  const isJudged = source.logs.has("intents") && options.level !== "none";
  const judgement = isJudged ? await judge(history, options) : undefined;
  await history.audit();
  const { objections, partitions, starts } = history;
  const unjudged = isJudged ? undefined : unjudgedBecause(source);
  const evidence: Evidence = {
    source: source.name,
    judgement,
    unjudged,
    objections,
    partitions,
    starts,
    rules,
    notes: notesOf(source, decisions),
  };
  const { level: asked, session, realTime } = options;
  return makeReport(evidence, { asked, session, realTime, extract: extraction(source, options) });
}

function unjudgedBecause({ logs }: SpaceSource): string | undefined {
  if (logs.has("intents")) return undefined;
  return "only verdicts were read: they do not tell what was read, so that no level can be judged";
}

function notesOf({ hasGenesis, logs }: SpaceSource, decisions: boolean): string[] {
  const doubt = "the genesis was not read, so that the space's limits are unknown";
  return [
    ...(hasGenesis ? [] : [logs.has("verdicts") ? doubt : `${doubt}, and no outcome can be derived`]),
    ...(decisions && !logs.has("intents") ? ["--decisions needs the intents, and only verdicts were read"] : []),
  ];
}

/** The commands that check a part of the space by itself. */
function extraction({ flags }: SpaceSource, { level, session, realTime }: CheckOptions): (span: Span) => string {
  const more = [
    ...(level === "serializable" ? [] : ["--level", level]),
    ...(session ? ["--session-order"] : []),
    ...(realTime ? ["--real-time"] : []),
  ];
  return ({ partition, from, to }) => {
    const part = [...flags.map(quoted), "--partition", partition, "--from", from, "--to", to];
    // An export is a file already.
    if (flags.length === 1) return ["seriatim check", ...part, ...more].join(" ");
    return `${["seriatim export", ...part].join(" ")} > slice.jsonl; ${["seriatim check slice.jsonl", ...more].join(" ")}`;
  };
}
