/* What the command line alone can tell: exit code 64, every fault named, no data touched. */
import { readdir } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { seriatim } from "./command.ts";

const file = ["--file", "state.db"];
const kafka = ["--brokers", "127.0.0.1:1", "--space", "team"];

interface BadArguments {
  readonly title: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** All of them are on stderr. */
  readonly says: readonly string[];
}

const cases: readonly BadArguments[] = [
  { title: "no command", args: [], says: ["Usage: seriatim", "Exit codes:"] },
  { title: "an unknown command", args: ["foo"], says: ["unknown command 'foo'", "seriatim --help"] },
  {
    title: "an unknown flag, with the one that was meant",
    args: ["get", "a/b", "--fil", "x"],
    says: ["unknown option '--fil'", "Did you mean --file?", "seriatim get --help"],
  },
  { title: "a missing argument", args: ["get", ...file], says: ["missing required argument 'key'"] },
  { title: "an argument too many", args: ["get", "a/b", "c/d", ...file], says: ["too many arguments"] },
  { title: "no space", args: ["get", "a/b"], says: ["no space is named", "--file PATH", "--brokers HOST:PORT"] },
  { title: "two spaces", args: ["get", "a/b", ...file, ...kafka], says: ["--file and --brokers exclude each other"] },
  {
    title: "two spaces in the environment",
    args: ["get", "a/b"],
    env: { SERIATIM_FILE: "state.db", SERIATIM_BROKERS: "127.0.0.1:1", SERIATIM_SPACE: "team" },
    says: ["--file and --brokers exclude each other"],
  },
  {
    title: "a flag of Kafka with a file",
    args: ["get", "a/b", ...file, "--space", "team"],
    says: ["--space goes with --brokers"],
  },
  {
    title: "brokers that are no addresses, and no name of a space",
    args: ["status", "--brokers", "127.0.0.1,:9092,host:70000"],
    says: ['"127.0.0.1" is no HOST:PORT', '":9092" is no', '"host:70000" is no', "--space is missing"],
  },
  {
    title: "a name that cannot be a space's",
    args: ["status", "--brokers", "127.0.0.1:1", "--space", "a b"],
    says: ['"a b" cannot name a space'],
  },
  {
    title: "every fault at once",
    args: ["put", "budget", "NaN", "--if-version", "7", "--blind", "--wait", "no"],
    says: [
      "no space is named",
      '--wait is "no"',
      "--if-version and --blind exclude each other",
      '--if-version is "7"',
      'key "budget" is not of the form',
      "JSON has no NaN",
    ],
  },
  {
    title: "a key over the limit",
    args: ["put", `a/${"k".repeat(511)}`, "1", ...file],
    says: ["is 513 bytes long in UTF-8; at most 512 are allowed"],
  },
  { title: "text in place of JSON", args: ["put", "a/b", "text", ...file], says: ["is not JSON", `'"text"'`] },
  { title: "half of a value", args: ["put", "a/b", '{"a":', ...file], says: ["is not JSON"] },
  {
    title: "a time without its zone",
    args: ["get", "a/b", "--as-of", "2026-01-31T12:00:00", ...file],
    says: ["--as-of is", "2026-01-31T12:00:00Z"],
  },
  { title: "a limit of nothing", args: ["scan", "a/", "--limit", "0", ...file], says: ['--limit is "0"'] },
  { title: "an offset below 0", args: ["tail", "--from=-1", ...file], says: ['--from is "-1"'] },
  {
    title: "limits that there are not, or out of bounds",
    args: ["init", ...file, "--limit", "size=3", "--limit", "writes=many", "--limit", "keyBytes=9999", "--window", "0"],
    says: [
      '"size=3" names no limit',
      "keyBytes, valueBytes",
      '--limit writes is "many"',
      "keyBytes is 9999",
      "--window",
    ],
  },
  {
    title: "partitions of a file",
    args: ["init", ...file, "--partitions", "3", "--replication", "2"],
    says: ["--partitions: an embedded space has one", "--replication goes with --brokers"],
  },
  { title: "a sequencer of a file", args: ["sequencer", ...file], says: ["an embedded space needs no sequencer"] },
  {
    title: "an unknown log level",
    args: ["sequencer", ...kafka, "--log-level", "loud"],
    says: ["'loud' is invalid", "Allowed choices"],
  },
  {
    title: "a file that is not there",
    args: ["put", "a/b", "1", ...file],
    says: ["there is no file state.db", "seriatim init --file state.db"],
  },
];

describe("bad arguments", () => {
  test.each(cases)("$title", async ({ args, env = {}, says }) => {
    const cwd = temporaryFolder();
    const { code, stdout, stderr } = await seriatim(args, { cwd, env });
    for (const sentence of says) expect(stderr).toContain(sentence);
    expect({ code, stdout }).toEqual({ code: 64, stdout: "" });
    expect(stderr).not.toMatch(/^ +at /m);
    expect(await readdir(cwd)).toEqual([]);
  });

  test("a key of bytes that are no UTF-8", async () => {
    // A shell can pass a lone surrogate as bytes; Node hands the program U+FFFD for each.
    const { code, stderr } = await seriatim(["put", "a/\uFFFD", "1", "--file", "state.db"], { cwd: temporaryFolder() });
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("no UTF-8") as string });
  });
});

test("the help lists commands and exit codes", async () => {
  const { code, stdout, stderr } = await seriatim(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const name of ["demo", "init", "sequencer", "get", "scan", "history", "put", "delete", "tail", "status"])
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  for (const exitCode of [0, 1, 2, 64, 70, 130]) expect(stdout).toMatch(new RegExp(`^  ${exitCode} +\\w`, "m"));
});

test("the version is one line", async () => {
  expect(await seriatim(["--version"])).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: "",
  });
});
