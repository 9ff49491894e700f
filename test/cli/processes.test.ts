/* Several processes at once, signals, and readers that go away. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { dirname } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { open } from "../../libs/seriatim/src/index.ts";
import { temporaryFile } from "../support/temporary.ts";
import { end, json, jsonLines, Lines, promptly, seriatim, start } from "./command.ts";

const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));

async function madeSpace(): Promise<string[]> {
  const flags = ["--file", temporaryFile()];
  await seriatim(["init", ...flags]);
  return flags;
}

test("inits at once make one space, and one of them made it", async () => {
  const flags = ["--file", temporaryFile(), "--json"];
  const all = await Promise.all([1, 2, 3].map(() => seriatim(["init", ...flags])));
  expect(all.map(({ code, stderr }) => ({ code, stderr }))).toEqual(all.map(() => ({ code: 0, stderr: "" })));
  const made = all.map(({ stdout }) => json(stdout));
  expect(new Set(made.map(({ space }) => space)).size).toBe(1);
  expect(made.filter((one) => one["made"] === true)).toHaveLength(1);
});

test("puts at once each get a version of their own", async () => {
  const flags = await madeSpace();
  const all = await Promise.all([1, 2, 3].map((value) => seriatim(["put", "a/b", String(value), ...flags])));
  expect(all.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(new Set(all.map(({ stdout }) => stdout)).size).toBe(3);
  expect(jsonLines((await seriatim(["history", "a/b", "--json", ...flags])).stdout)).toHaveLength(3);
});

describe("tail", () => {
  test("prints the last ten, or those from an offset on, and stops", async () => {
    const flags = await madeSpace();
    const coordinator = await open(flags[1] ?? "");
    for (let value = 0; value < 11; value += 1) await coordinator.run({ agent: "ada" }, (tx) => tx.put("a/b", value));
    await coordinator.close();
    const last = await seriatim(["tail", "--no-follow", "--json", ...flags]);
    expect(last).toMatchObject({ code: 0, stderr: "" });
    expect(jsonLines(last.stdout).map(({ version }) => version)).toEqual(
      Array.from({ length: 10 }, (_, index) => `0@${index + 2}`),
    );
    const from = await seriatim(["tail", "--no-follow", "--from", "10", ...flags]);
    expect(from.stdout).toMatch(/^0@10 +\S+Z +committed +\S+ +\S+ +a\/b\n0@11 [^\n]*\n$/);
    expect(await seriatim(["tail", "--no-follow", "--from", "12", ...flags])).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
    expect(await seriatim(["tail", "--no-follow", "--partition", "1", ...flags])).toMatchObject({ code: 64 });
  });

  test("follows what another process writes, until Ctrl-C", async () => {
    const flags = await madeSpace();
    const tail = start(["tail", "--json", ...flags]);
    const lines = new Lines(tail);
    expect(json(await lines.next())).toMatchObject({ version: "0@0", outcome: "genesis", agent: null, intent: null });
    await seriatim(["put", "a/b", "1", "--agent", "ada", ...flags]);
    expect(json(await lines.next())).toEqual({
      version: "0@1",
      time: expect.any(String) as string,
      outcome: "committed",
      agent: "ada",
      intent: expect.any(String) as string,
      writes: [{ key: "a/b", deleted: false }],
      effects: [],
      holds: [],
    });
    await seriatim(["delete", "a/b", ...flags]);
    expect(json(await lines.next())).toMatchObject({ writes: [{ key: "a/b", deleted: true }] });
    const { code, ms } = await end(tail, "SIGINT");
    expect(code).toBe(0);
    expect(ms).toBeLessThan(promptly);
  });

  test("ends quietly when its reader does", async () => {
    const flags = await madeSpace();
    const tail = start(["tail", ...flags]);
    const errors: string[] = [];
    tail.stderr?.on("data", (data: Buffer) => errors.push(data.toString()));
    await once(tail.stdout ?? tail, "data");
    tail.stdout?.destroy();
    const closed = once(tail, "exit");
    await seriatim(["put", "a/b", "1", ...flags]);
    expect(await closed).toEqual([0, null]);
    expect(errors).toEqual([]);
  });
});

test("a scan piped into head ends quietly", async () => {
  const flags = await madeSpace();
  for (const key of ["a/1", "a/2"]) await seriatim(["put", key, `"${"x".repeat(70_000)}"`, ...flags]);
  const command = `"${process.execPath}" "${main}" scan a/ ${flags.join(" ")} | head -c 5; echo " \${PIPESTATUS[0]}"`;
  const shell = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
  const [out, error] = await Promise.all([text(shell.stdout), text(shell.stderr)]);
  expect({ out, error }).toEqual({ out: "a/1   0\n", error: "" });
});

test("a check whose reader ends early answers all the same", async () => {
  const history = temporaryFile("lost-update.txt");
  writeFileSync(history, "w(1,1,0,0)\nr(1,1,1,1)\nw(1,2,1,1)\nr(1,1,2,2)\nw(1,3,2,2)\n");
  const check = start(["check", history]);
  check.stdout?.destroy();
  expect(await once(check, "exit")).toEqual([1, null]);
});

test("a backup for which there is no room leaves nothing behind, and may be made again", async () => {
  const flags = await madeSpace();
  const copy = temporaryFile("copy.db");
  const command = `ulimit -f 1; "${process.execPath}" "${main}" backup "${copy}" ${flags.join(" ")}; echo $?`;
  const shell = spawn("bash", ["-c", command], { stdio: ["ignore", "pipe", "ignore"] });
  expect(await text(shell.stdout)).toBe("70\n");
  expect(readdirSync(dirname(copy))).toEqual([]);
  expect((await seriatim(["backup", copy, ...flags])).code).toBe(0);
  expect(readdirSync(dirname(copy))).toEqual(["copy.db"]);
});

async function silentBroker(): Promise<{ readonly flags: string[]; readonly asked: Promise<unknown> }> {
  const server = createServer();
  const asked = once(server, "connection");
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { flags: ["--brokers", `127.0.0.1:${port}`, "--space", "team"], asked };
}

describe("a broker that does not answer", () => {
  test("is a failure in time, with the remedy", async () => {
    const { flags } = await silentBroker();
    const { code, stdout, stderr } = await seriatim(["get", "a/b", ...flags]);
    expect({ code, stdout }).toEqual({ code: 70, stdout: "" });
    expect(stderr).toMatch(/^seriatim: Kafka at 127\.0\.0\.1:\d+: .*Start the broker, or correct the addresses/);
  });

  test.each([
    ["SIGINT", "status", 130],
    ["SIGTERM", "get a/b", 143],
    ["SIGTERM", "sequencer", 0],
  ] as const)("does not keep %s from ending %s", async (signal, command, expected) => {
    const { flags, asked } = await silentBroker();
    const child = start([...command.split(" "), ...flags]);
    await asked;
    const { code, ms } = await end(child, signal);
    expect(code).toBe(expected);
    expect(ms).toBeLessThan(promptly);
  });
});
