import { fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { fileURLToPath } from "node:url";
import { defineHandlers, type Handlers } from "@seriatim/effects";

/** What is called, and whom it calls. */
export interface Called {
  readonly name: string;
  /** One call, as a handler makes it. */
  readonly call: (key: string) => Promise<void>;
  close(): void;
}

export const noop: Called = { name: "nothing", call: () => Promise.resolve(), close: () => undefined };

/** A real server, in a process of its own. */
export async function httpServer(): Promise<Called> {
  const child = fork(fileURLToPath(new URL("receiver.js", import.meta.url)));
  const [url] = (await once(child, "message")) as [string];
  return {
    name: "an HTTP server",
    async call(key) {
      const headers = { "Idempotency-Key": `"${key}"`, "content-type": "application/json" };
      const response = await fetch(url, { method: "POST", body: "{}", headers });
      await response.arrayBuffer();
    },
    close: () => child.disconnect(),
  };
}

/** The handler `call`, and what resolves when it was called so many times. */
export function countingHandlers({ call }: Called, count: number): { handlers: Handlers; all: Promise<unknown> } {
  let left = count;
  const calls = new EventEmitter();
  const handlers = defineHandlers({
    call: {
      async call(_args: unknown, { key }: { readonly key: string }) {
        await call(key);
        left -= 1;
        if (left === 0) calls.emit("all");
      },
    },
  });
  return { handlers, all: once(calls, "all") };
}
