/* The same as in one process, with several at once: whatever comes between is for the machine to decide. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { EmbeddedSpace } from "../../../libs/seriatim/src/embedded-space.ts";
import { folderOfFile, temporaryFile } from "../../support/temporary.ts";
import { found, historyOf } from "./founding.ts";
import type { History } from "./history.ts";
import { faultsOf } from "./judge.ts";
import { together, type Statements } from "./testimony.ts";

const runner = fileURLToPath(new URL("../../support/run.mjs", import.meta.url));

/** How many transactions each of how many agents runs, in each process. */
const runs = Number(process.env["SERIATIM_RUNS"] ?? 60);
const lanes = 3;
const seed = Number(process.env["SERIATIM_SEED"] ?? Math.floor(Math.random() * 2 ** 32));

const file = "test/embedded/witnesses/processes.test.ts";
const template = join(folderOfFile(), "template.db");
let founded: History;
beforeAll(async () => {
  founded = await found(template);
});

/** A process that is ready. What it calls does what it came for. */
async function start(path: string, name: string, ownSeed: number, role: string): Promise<() => Promise<Statements>> {
  const writes = role === "alone" ? 10 * runs : 0;
  const args = ["embedded/witnesses/child.ts", path, name, ownSeed, runs, lanes, writes, role].map(String);
  const child = fork(runner, args, { execArgv: [] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = once(child, "exit");
  const died = ended.then(() => Promise.reject(new Error(`${name} died`)));
  await Promise.race([once(child, "message"), died]);
  return async () => {
    const said = once(child, "message") as Promise<[Statements]>;
    child.send("begin");
    const [statements] = await Promise.race([said, died]);
    expect(await ended).toEqual([0, null]);
    return statements;
  };
}

it("what functions were told in several processes is what their intents rest on", { timeout: 300_000 }, async () => {
  const path = temporaryFile();
  copyFileSync(template, path);
  // One that commits by itself, and two of which one commits for the other.
  const roles = ["alone", "socket", "socket"];
  const processes = await Promise.all(roles.map((role, index) => start(path, `agent-${index}`, seed + index, role)));
  const statements = together(await Promise.all(processes.map((act) => act())));
  const space = await EmbeddedSpace.open(path, { socket: false });
  onTestFinished(() => space.close());
  const history = historyOf(space, founded);
  const rerun = `the same seed again, by chance otherwise interleaved: SERIATIM_SEED=${seed} npx vitest run ${file}`;
  expect(faultsOf(history, statements), rerun).toEqual([]);
});
