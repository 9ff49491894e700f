/* `seriatim mcp import` and `export`: files of the reference server, and for it. */
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { seriatim } from "../cli/command.ts";
import { describeSpaces } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { call, dataOf, entity, graphOf, referenceOn, served } from "./clients.ts";

const names = ["plain", "", "a/b", "🦆", "separator\u2028in it", 'quote"d'];

await describeSpaces("memory files", (make) => {
  it("go from the reference server into the memory and back, with nothing lost and in order", async () => {
    const { flags } = await make();
    const theirs = temporaryFile("theirs.jsonl");
    const reference = await referenceOn(theirs);
    await call(reference, "create_entities", { entities: names.map((name) => entity(name, "b", "a", "b")) });
    const relations = names.map((from) => ({ from, to: "nowhere", relationType: "r" }));
    await call(reference, "create_relations", { relations });
    const graph = await graphOf(reference);
    const imported = await seriatim(["mcp", "import", theirs, ...flags]);
    expect(imported).toEqual({
      code: 0,
      stderr: "",
      stdout: "imported 6 entities and 6 relations in 1 transaction\n",
    });
    expect(await graphOf(await served(flags))).toEqual(graph);
    const ours = temporaryFile("ours.jsonl");
    expect(await seriatim(["mcp", "export", ours, ...flags])).toMatchObject({ code: 0, stdout: "", stderr: "" });
    expect(await graphOf(await referenceOn(ours))).toEqual(graph);
    const { stdout } = await seriatim(["mcp", "export", ...flags]);
    expect(stdout).toBe(readFileSync(ours, "utf8"));
    // Again: nothing changes.
    expect(await seriatim(["mcp", "import", ours, ...flags])).toMatchObject({ code: 0 });
    expect(await graphOf(await served(flags))).toEqual(graph);
  });

  it("a broken line is reported with its number and skipped, and nothing else is lost", async () => {
    const { flags } = await make();
    const path = temporaryFile("memory.jsonl");
    const lines = [
      '{"type":"entity","name":"first","entityType":"t","observations":["o"]}',
      "{broken",
      '{"type":"entity","name":"no observations","entityType":"t"}',
      "",
      '{"type":"thing"}',
      '{"type":"relation","from":"first","to":"last","relationType":"r"}',
      JSON.stringify({ type: "entity", name: "too long", entityType: "t", observations: ["x".repeat(300_000)] }),
      "bad \u00ff",
      '{"type":"entity","name":"last","entityType":"t","observations":[]}',
    ];
    writeFileSync(path, lines.join("\n"), "latin1");
    const { code, stdout, stderr } = await seriatim(["mcp", "import", path, ...flags, "--json"]);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ entities: 2, relations: 1, skipped: 5 });
    expect(stderr).toContain("line 2 is skipped: it is not JSON");
    expect(stderr).toContain("line 3 is skipped: it is no entity: observations missing or of the wrong type");
    expect(stderr).toContain('line 5 is skipped: its "type" is "thing"');
    expect(stderr).toContain("line 7 is skipped: value of");
    expect(stderr).toContain("line 8 is skipped: it is not UTF-8");
    expect(await graphOf(await served(flags))).toEqual({
      entities: [
        { name: "first", entityType: "t", observations: ["o"] },
        { name: "last", entityType: "t", observations: [] },
      ],
      relations: [{ from: "first", to: "last", relationType: "r" }],
    });
  });

  it("what is more than a transaction takes is split, and what is there already is left", async () => {
    const { flags } = await make();
    const client = await served(flags);
    dataOf(await call(client, "create_entities", { entities: [entity("large", "0", "before")] }));
    const observations = Array.from({ length: 1_200 }, (_, n) => String(n));
    const path = temporaryFile("memory.jsonl");
    const lines = [
      JSON.stringify({ type: "entity", name: "large", entityType: "other", observations }),
      ...Array.from({ length: 600 }, (_, n) =>
        JSON.stringify({ type: "relation", from: "large", to: String(n), relationType: "r" }),
      ),
    ];
    writeFileSync(path, lines.join("\n"));
    const { code, stdout } = await seriatim(["mcp", "import", path, ...flags]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^imported 1 entity and 600 relations in [5-9] transactions\n$/);
    const { stdout: exported } = await seriatim(["mcp", "export", ...flags]);
    const [first = "", ...others] = exported.trimEnd().split("\n");
    expect(JSON.parse(first)).toEqual({
      type: "entity",
      name: "large",
      entityType: "thing",
      observations: ["0", "before", ...observations.slice(1)],
    });
    expect(others).toEqual(lines.slice(1));
  });
});

it("bad arguments are named, and nothing is made", async () => {
  const path = temporaryFile();
  const missing = await seriatim(["mcp", "import", `${path}.jsonl`, "--file", path]);
  expect(missing).toMatchObject({ code: 64, stdout: "" });
  expect(missing.stderr).toContain("cannot be read");
  const before = await seriatim(["mcp", "--file", path, "import", "x"]);
  expect(before).toMatchObject({ code: 64, stdout: "" });
  expect(before.stderr).toContain("--file stands before import; give it after");
  const outside = await seriatim(["mcp", "--file", path, "--http", "0", "--host", "0.0.0.0"]);
  expect(outside).toMatchObject({ code: 64, stdout: "" });
  expect(outside.stderr).toContain("set SERIATIM_MCP_TOKEN to a secret");
  expect(await seriatim(["mcp", "export", "--file", path])).toMatchObject({ code: 64, stdout: "" });
});
