import { expect, it } from "vitest";
import { jsonLines, seriatim } from "./command.ts";

it("prints a row for each interleaving, with what became of it at each level", async () => {
  const { code, stdout, stderr } = await seriatim("anomalies");
  expect(code, stderr).toBe(0);
  expect(stdout).toMatch(/^ +none +snapshot +serializable$/m);
  expect(stdout).toMatch(/^write-skew +occurs +occurs +prevented +two on-call agents/m);
  expect(stdout).toContain("All 39 came out as they must. The checker read each log, and says the same.");
});

it("tells one of them step by step: what was seen, the refusal, and the checker's cycle", async () => {
  const { code, stdout, stderr } = await seriatim("anomalies", "--only", "write-skew", "--explain");
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('ada    reads roster/ben: "on duty"');
  expect(stdout).toMatch(/ben +is refused: "roster\/ada" was changed by agent "ada"/);
  expect(stdout).toContain("It occurs: 0 of two are on duty.");
  expect(stdout).toMatch(/a cycle, G2-item: .*\n.*ada \(\d+\) before ben \(\d+\): the former read "roster\/ben"/);
});

it("prints the same for machines", async () => {
  const { code, stdout } = await seriatim("anomalies", "--only", "lost-update", "--isolation", "snapshot", "--json");
  expect(code).toBe(0);
  expect(jsonLines({ code, stdout, stderr: "" })).toMatchObject([
    {
      scenario: "lost-update",
      isolation: "snapshot",
      occurrence: "prevented",
      checker: { condition: "serializable", answer: "holds", claims: "holds" },
      asExpected: true,
    },
  ]);
});

it.each([
  [["--only", "lost"], "there are lost-update, "],
  [["--isolation", "strict"], "none, snapshot, serializable"],
  [["--brokers", "nowhere"], "HOST:PORT"],
  [["--folder", "/nowhere"], "--folder"],
])("does nothing with bad arguments: %s", async (flags, said) => {
  const { code, stdout, stderr } = await seriatim("anomalies", ...flags);
  expect(code).toBe(64);
  expect(stdout).toBe("");
  expect(stderr).toContain(said);
});
