import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  detectFormat,
  judge,
  readForeign,
  type Anomaly,
  type Finding,
  type ForeignFormat,
  type Judgement,
} from "@seriatim/checker";

/**
 * Histories of other projects, with the verdicts that these give. They are not ours to pass on: SERIATIM_HISTORIES names
 * the folder that holds them.
 */
const folder = process.env["SERIATIM_HISTORIES"];
const title =
  folder === undefined ? "foreign histories (skipped: SERIATIM_HISTORIES names no folder)" : "foreign histories";

/** `ser`, `si` and `sser` (with session order): true where it holds. What is not said is not asked. */
interface Verdict {
  readonly ser: boolean;
  readonly si?: boolean;
  readonly sser?: boolean;
  readonly shows?: readonly Anomaly[];
}

const awditViolated = [
  "causal/long-fork.txt",
  "causal/lost-update.txt",
  "read-committed/biswas-enea.txt",
  "read-committed/non-repeatable-read.txt",
  "read-committed/test-rc.txt",
  "causal/generated/l100e1000sqrt.txt",
  "causal/generated/l20e200sqrt.txt",
  "causal/generated/l50e1000sqrt.txt",
  "read-atomic/generated/l100e1000sqrt.txt",
  "read-atomic/generated/l10e100sqrt.txt",
  "read-atomic/generated/l4e10sqrt.txt",
  "read-atomic/generated/l5e20sqrt.txt",
  "read-atomic/generated/l6e30sqrt.txt",
  "read-committed/generated/l100e1000sqrt.txt",
  "read-committed/generated/l10e100sqrt.txt",
  "read-committed/generated/l5e20sqrt.txt",
  "read-committed/generated/l6e30sqrt.txt",
];
const awditBySession = [
  "none/hb-cycle.txt",
  "read-atomic/biswas-enea.txt",
  "read-atomic/test-ra.txt",
  "read-committed/generated/l4e10sqrt.txt",
];

const verdicts: readonly (readonly [string, ForeignFormat, Verdict])[] = [
  ["elle/paper-example.edn", "elle-edn", { ser: false, si: false, shows: ["G-single"] }],
  ["elle/si-without-g-single.edn", "elle-edn", { ser: false, si: true, shows: ["G2-item"] }],
  ["elle-cli/elle/list-append-gh-30.edn", "elle-edn", { ser: false, si: true, shows: ["G2-item"] }],
  ["elle-cli/elle/paper-example.json", "elle-json", { ser: false, si: false, shows: ["G-single"] }],
  ["elle-cli/elle/rw-register.edn", "elle-edn", { ser: false, si: false, shows: ["thin_air"] }],
  ["elle-cli/elle/rw-register.json", "elle-json", { ser: false, si: false, shows: ["thin_air"] }],
  ["elle-cli/jepsen/long-fork.edn", "elle-edn", { ser: false, si: false, shows: ["long_fork"] }],
  ["awdit/causal/fully-ser.txt", "awdit", { ser: true, sser: true }],
  ...awditViolated.map((name) => [`awdit/${name}`, "awdit", { ser: false }] as const),
  ...awditBySession.map((name) => [`awdit/${name}`, "awdit", { ser: true, sser: false }] as const),
  ["isovista/pg_ser_bug.txt", "operations", { ser: false }],
  ["isovista/yugabyte_tcc.txt", "operations", { ser: false }],
  ["smt/15_15_15_1000.bincode", "dbcop", { ser: true, sser: true }],
  ["cobra/ser-violation/cock-blog", "cobra", { ser: false, shows: ["thin_air"] }],
  ["cobra/ser-violation/cock-G2", "cobra", { ser: false, shows: ["G2-item"] }],
  ["cobra/one-shot-chengRW/chengRW-100", "cobra", { ser: true }],
  ["cobra/one-shot-chengRW/chengRW-1000", "cobra", { ser: true }],
  ["predicate-own/p1-g2-predicate-write-skew.edn", "elle-edn", { ser: false, shows: ["G2"] }],
  ["predicate-own/p2-serializable-predicate.edn", "elle-edn", { ser: true }],
  ["predicate-own/p3-g-single-predicate-read-skew.edn", "elle-edn", { ser: false, si: false, shows: ["G-single"] }],
];

describe.skipIf(folder === undefined)(title, () => {
  test.each(verdicts)("%s", async (name, format, verdict) => {
    const path = join(folder ?? "", name);
    expect(await detectFormat(path)).toBe(format);
    const judgement = await judge(await readForeign(path, format), { session: true });
    expect(asVerdict(judgement, verdict)).toEqual(verdict);
  });
});

function asVerdict({ findings, counts }: Judgement, asked: Verdict): Verdict {
  return {
    ser: holds(findings.serializable),
    ...(asked.si === undefined ? {} : { si: holds(findings.snapshot_isolation) }),
    ...(asked.sser === undefined ? {} : { sser: holds(findings.strong_session_serializable) }),
    ...(asked.shows === undefined ? {} : { shows: asked.shows.filter((anomaly) => (counts[anomaly] ?? 0) > 0) }),
  };
}

function holds(finding: Finding | null): boolean {
  expect(finding?.answer).not.toBe("undecided");
  return finding?.answer === "holds";
}
