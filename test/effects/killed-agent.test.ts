/* An agent killed between its call and its commit: whoever works undoes what it left, once. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { httpHandlersOf, type HandlerDefinition } from "@seriatim/effects";
import { expect, it, onTestFinished } from "vitest";
import { describeSpaces } from "../support/spaces.ts";
import { temporaryFile } from "../support/temporary.ts";
import { Desk } from "./desk.ts";
import { startWorker } from "./workers.ts";

/** As the child opens a space, by the flags that the command line takes. */
function placeOf([kind, ...flags]: readonly string[]): object {
  if (kind === "--file") return { file: flags[0] };
  const [brokers = "", , space] = flags;
  return { brokers: brokers.split(","), space, view: temporaryFile("agent.view.db") };
}

/** The built-in handlers, as a worker in this process takes them. */
function definitionsOf(http: string): Record<string, HandlerDefinition> {
  const definitions: Record<string, HandlerDefinition> = {};
  for (const [name, handler] of httpHandlersOf({ SERIATIM_HTTP_HANDLERS: http })) {
    const { voids, timeout } = handler;
    definitions[name] = { call: (args, context) => handler.call(args, context), voids, timeout };
  }
  return definitions;
}

/** Runs the agent until it is killed. */
async function runAgent(options: object): Promise<NodeJS.Signals | null> {
  const path = fileURLToPath(new URL("agent.mjs", import.meta.url));
  const child = spawn(process.execPath, [path, JSON.stringify(options)], { stdio: ["ignore", "inherit", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [, signal] = await once(child, "exit");
  return signal as NodeJS.Signals | null;
}

await describeSpaces("an agent", (make) => {
  it.each(["after the call", "during the call"])("killed %s leaves nothing behind", async (dies) => {
    const space = await make();
    const desk = await Desk.open();
    const common = { timeout: 2_000 };
    const http = JSON.stringify({
      reserve: { url: `${desk.url}/${dies === "during the call" ? "slow-reserve" : "reserve"}`, ...common },
      release: { url: `${desk.url}/release`, voids: true, ...common },
    });
    const place = placeOf(space.flags);
    expect(await runAgent({ place, http, dies, lease: 5_000 })).toBe("SIGKILL");
    if (dies === "after the call") expect(desk.reserved.size).toBe(1);
    const handlers = definitionsOf(http);
    const { space: opened } = await space.join();
    await startWorker(opened, handlers);
    await startWorker(opened, handlers);
    await expect.poll(() => desk.released.length, { timeout: 40_000 }).toBe(1);
    desk.letSlowOnesGo();
    expect([...desk.reserved]).toEqual([]);
    expect(desk.released).toHaveLength(1);
  });
});
