/* A call that is held back on its way until after its inverse: over HTTP, to a receiver that voids what is undone. */
import { httpHandlersOf, idempotencyKey, type HandlerDefinition } from "@seriatim/effects";
import { expect, it } from "vitest";
import { describeSpaces } from "../support/spaces.ts";
import { Desk } from "./desk.ts";
import { HoldingAgent } from "./holding-agent.ts";
import { startWorker } from "./workers.ts";

function releaseAt(url: string): HandlerDefinition {
  const SERIATIM_HTTP_HANDLERS = JSON.stringify({ release: { url: `${url}/release`, voids: true } });
  const release = httpHandlersOf({ SERIATIM_HTTP_HANDLERS }).get("release");
  if (release === undefined) throw new Error("it was not configured");
  return { call: (args, context) => release.call(args, context), voids: release.voids };
}

await describeSpaces("a call that its agent has made", (make) => {
  it.each(["before its inverse", "after its inverse"])("and that arrives %s leaves nothing behind", async (when) => {
    const participant = await (await make()).join();
    const desk = await Desk.open();
    const agent = new HoldingAgent(participant);
    const held = await agent.hold({ lease: 300 });
    const { space } = participant.space.genesis;
    const key = `"${idempotencyKey({ space, ...held, index: 0, side: "forward" })}"`;
    const arrive = async (): Promise<number> =>
      (await fetch(`${desk.url}/reserve`, { method: "POST", headers: { "Idempotency-Key": key } })).status;
    // The agent dies with the call on its way: it says nothing of it any more.
    if (when === "before its inverse") expect(await arrive()).toBe(200);
    await startWorker(participant.space, { release: releaseAt(desk.url) });
    await expect.poll(() => desk.released, { timeout: 20_000 }).toEqual([key]);
    if (when === "after its inverse") expect(await arrive()).toBe(410);
    expect([...desk.reserved]).toEqual([]);
  });
});
