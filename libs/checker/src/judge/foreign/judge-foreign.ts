import type { ForeignHistory } from "../../history.ts";
import type { Finding, Judgement, JudgeOptions } from "../../judgement.ts";
import { finding, noFindings } from "../findings.ts";
import { Tally } from "../tally.ts";
import { judgeProblem, type Answered, type ProblemVerdict, type Telling } from "./judge-problem.ts";
import { sessionEdges, timeEdges } from "./orders.ts";
import { problemsOf, type Edge, type Problems } from "./problem.ts";

const examplesUnlessSet = 20;
/** Where reads fit several writers, at most so many combinations are tried. */
const mostProblems = 512;
/** More pairs of writers than this, in an order that is not known, are not searched. */
const mostPairs = 2_000_000;

/** Judges a history of values: what it does not state is searched for, and given up as undecided, never as holding. */
export function judgeForeign(history: ForeignHistory, options: JudgeOptions): Judgement {
  const problems = problemsOf(history);
  const examples = options.examples ?? examplesUnlessSet;
  const tally = new Tally(examples);
  for (const read of problems.badReads) tally.addBadRead(read);
  tally.count("lost_update", problems.lostUpdates);
  const impossible = problems.badReads.length > 0;
  const sessions = sessionEdges(problems.nodes, history.transactions);
  const judged = (order: readonly Edge[], telling: Telling): ProblemVerdict => {
    const isOpen = problems.isOpen && !impossible;
    const verdict = judgeProblems(problems, order, isOpen ? untold() : telling);
    if (isOpen) return openVerdict(verdict, problems.isLeftOut);
    return impossible ? impossibleVerdict(verdict) : verdict;
  };
  const plain = judged([], { tally, isCounted: true });
  const isTold = plain.serializable.answer !== "violated";
  const telling = { tally: isTold ? tally : new Tally(0), isCounted: false };
  const session = options.session === true && sessions.length > 0 ? judged(sessions, telling) : undefined;
  const times = options.realTime === true ? timeEdges(problems.nodes) : [];
  const realTime = times.length > 0 ? judged([...sessions, ...times], telling) : undefined;
  const of = (verdict: ProblemVerdict | undefined, name: keyof ProblemVerdict): Finding | null =>
    verdict === undefined ? null : (emptiness(history) ?? verdict[name]);
  return {
    findings: {
      ...noFindings(),
      serializable: of(plain, "serializable"),
      snapshot_isolation: of(plain, "snapshotIsolation"),
      strong_session_serializable: of(session, "serializable"),
      strong_session_snapshot_isolation: of(session, "snapshotIsolation"),
      strict_serializable: of(realTime, "serializable"),
      strong_snapshot_isolation: of(realTime, "snapshotIsolation"),
    },
    counts: { ...tally.counts, stale_decision: null },
    cycles: tally.cycles,
    components: tally.components,
    badReads: tally.badReads,
    claims: [],
    levels: null,
    coverage: coverageOf(history, problems),
  };
}

function untold(): Telling {
  return { tally: new Tally(0), isCounted: false };
}

/** What does not fit may be explained by a transaction that was taken not to have committed. */
function openVerdict({ serializable, snapshotIsolation }: ProblemVerdict, isLeftOut: boolean): ProblemVerdict {
  const reason = "a transaction of unknown outcome may have made what was read as absent, or not found";
  const open = (one: Answered): Answered =>
    one.answer === "violated" || isLeftOut ? { answer: "undecided", reason } : one;
  return { serializable: open(serializable), snapshotIsolation: open(snapshotIsolation) };
}

function impossibleVerdict({ serializable, snapshotIsolation }: ProblemVerdict): ProblemVerdict {
  return { serializable: impossibleAnswer(serializable), snapshotIsolation: impossibleAnswer(snapshotIsolation) };
}

function impossibleAnswer({ answer, reason }: Answered): Answered {
  return { answer: "violated", reason: answer === "violated" ? reason : null };
}

function emptiness({ transactions }: ForeignHistory): Finding | undefined {
  return transactions.length === 0 ? finding(false, ["the history holds no transaction"]) : undefined;
}

/** It holds if one of the problems does, and is violated if each of them is. */
function judgeProblems(problems: Problems, order: readonly Edge[], telling: Telling): ProblemVerdict {
  const { pairs, count } = problems;
  if (pairs > mostPairs) return undecided(`the order of ${pairs} pairs of writes is not stated`);
  if (count > mostProblems) return undecided(`reads fit their writers in ${count} ways`);
  const [first, ...others] = problems.all();
  if (first === undefined) throw new Error("a history has no reading at all");
  const verdicts = [
    judgeProblem(problems, first, order, count === 1 ? telling : untold()),
    ...others.map((problem) => judgeProblem(problems, problem, order, untold())),
  ];
  const [verdict] = verdicts;
  if (count === 1 && verdict !== undefined) return verdict;
  const serializable = bestOf(verdicts.map((each) => each.serializable));
  const snapshotIsolation = bestOf(verdicts.map((each) => each.snapshotIsolation));
  if (serializable.answer === "violated") judgeProblem(problems, first, order, telling);
  return { serializable, snapshotIsolation };
}

function bestOf(answers: readonly Answered[]): Answered {
  for (const wanted of ["holds", "undecided"] as const) {
    const found = answers.find(({ answer }) => answer === wanted);
    if (found !== undefined) return found;
  }
  const reason = `reads fit their writers in ${answers.length} ways, and none has an order: what is told is of the first`;
  return { answer: "violated", reason };
}

function undecided(reason: string): ProblemVerdict {
  const answered = { answer: "undecided", reason } as const;
  return { serializable: answered, snapshotIsolation: answered };
}

function coverageOf({ transactions, skipped, assumptions }: ForeignHistory, problems: Problems): Judgement["coverage"] {
  const counted = new Set(problems.nodes);
  const unknown = transactions.filter((transaction) => transaction.status === "indeterminate");
  return {
    checked: transactions.filter((transaction) => counted.has(transaction)).length,
    refused: transactions.filter(({ status }) => status === "aborted").length,
    undecided: unknown.filter((transaction) => !counted.has(transaction)).length,
    skipped,
    partitions: [],
    assumptions: problems.isReadOnly
      ? [
          ...assumptions,
          "nobody writes in this history: each value read counts as the one write of a transaction of its own",
        ]
      : assumptions,
  };
}
