import { spawn } from "node:child_process";
import { defineHandlers, open } from "seriatim";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFile } from "../support/temporary.ts";
import { Settable } from "./workers.ts";

it("a process that opens a file with handlers calls what was deferred, by others too", async () => {
  const path = temporaryFile();
  const without = await open(path);
  onTestFinished(() => without.close());
  await without.run({ agent: "agent" }, (tx) => tx.defer("note", 1));
  const calls: unknown[] = [];
  const handlers = defineHandlers({ note: { call: (args) => void calls.push(args) } });
  const withHandlers = await open(path, { handlers });
  onTestFinished(() => withHandlers.close());
  await without.run({ agent: "agent" }, (tx) => tx.defer("note", 2));
  await expect.poll(() => calls).toEqual([1, 2]);
});

it("closing waits for the calls under way, and a second opening finds them done", async () => {
  const path = temporaryFile();
  const calls: string[] = [];
  const begun = new Settable();
  const gate = new Settable();
  const pay = {
    idempotent: false,
    call: async (): Promise<void> => {
      begun.resolve();
      await gate.promise;
      calls.push("ended");
    },
  };
  const one = await open(path, { handlers: defineHandlers({ pay }) });
  await one.run({ agent: "agent" }, (tx) => tx.defer("pay", 1));
  await begun.promise;
  const closing = one.close();
  setImmediate(() => gate.resolve());
  await closing;
  expect(calls).toEqual(["ended"]);
  const two = await open(path, { handlers: defineHandlers({ pay, note: { call: () => void calls.push("note") } }) });
  onTestFinished(() => two.close());
  await two.run({ agent: "agent" }, (tx) => tx.defer("note", 2));
  await expect.poll(() => calls).toEqual(["ended", "note"]);
});

it("a file that is open for reading only takes no handlers", async () => {
  const path = temporaryFile();
  await (await open(path)).close();
  const handlers = defineHandlers({ note: { call: () => undefined } });
  await expect(open(path, { readonly: true, handlers })).rejects.toMatchObject({ code: "invalid_argument" });
});

/** Runs a script of its own process with the library; resolves with what it prints. */
function script(text: string): Promise<string> {
  const index = new URL("../../libs/seriatim/dist/index.js", import.meta.url).href;
  const source = `import { open, defineHandlers } from ${JSON.stringify(index)};\n${text}`;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "--eval", source]);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => (output += part));
    child.on("error", reject).on("close", () => resolve(output));
  });
}

it("leaves a call alone that is still under way when the space is closed", async () => {
  const path = JSON.stringify(temporaryFile());
  const output = await script(`
    import { renameSync } from "node:fs";
    let close;
    const closed = new Promise((resolve) => (close = resolve));
    const pay = {
      idempotent: false,
      async call() {
        // Ends the calling for good, and without waiting for what is under way.
        renameSync(${path}, ${path} + ".moved");
        await closed;
        console.log("called");
      },
    };
    const onWorkerEnd = async () => {
      await space.close();
      console.log("closed");
      close();
    };
    const space = await open(${path}, { handlers: defineHandlers({ pay }), onWorkerEnd });
    await space.run({ agent: "agent" }, (tx) => tx.defer("pay", 1));
  `);
  expect(output).toBe("closed\ncalled\n");
});

it("warns of a handler that it does not know, and of nothing else", async () => {
  const path = JSON.stringify(temporaryFile());
  const output = await script(`
    const space = await open(${path}, { handlers: defineHandlers({ note: { call() {} } }) });
    process.on("warning", async ({ code }) => { console.log(code); await space.close(); });
    const without = await open(${path});
    await without.run({ agent: "agent" }, (tx) => tx.defer("other", 1));
    await without.close();
  `);
  expect(output).toContain("SERIATIM_UNKNOWN_HANDLER");
  expect(output).toContain('1 effects wait for the handler "other"');
});
