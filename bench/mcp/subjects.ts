import { spawn, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { initKafka } from "seriatim";

const main = fileURLToPath(new URL("../../../libs/seriatim/dist/main.js", import.meta.url));
const reference = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-memory/dist/index.js");

/** A memory in which nothing is yet. */
export interface Store {
  /** A server process on it, with the official client. */
  connect(): Promise<Client>;
  close(): Promise<void>;
}

/** A server that is measured. */
export interface Subject {
  readonly name: string;
  /** @param folder in which it may keep files. */
  make(folder: string): Promise<Store>;
}

const nothing = (): Promise<void> => Promise.resolve();

export const theReference: Subject = {
  name: "server-memory 2026.8.31",
  async make(folder) {
    const env = { MEMORY_FILE_PATH: join(folder, `${randomUUID()}.jsonl`) };
    return { connect: () => connected([reference], env), close: nothing };
  },
};

export const onFile: Subject = {
  name: "seriatim mcp, file",
  async make(folder) {
    const file = join(folder, `${randomUUID()}.db`);
    return { connect: () => connected([main, "mcp", "--file", file]), close: nothing };
  },
};

/** With one sequencer, a process of its own. */
export function onKafka(brokers: string): Subject {
  return {
    name: "seriatim mcp, Kafka",
    async make(folder) {
      const space = `bench-${randomUUID()}`;
      await initKafka({ brokers: brokers.split(","), space, partitions: 1 });
      const place = ["--brokers", brokers, "--space", space, "--view", join(folder, `${space}.db`)];
      const sequencer = await sequencing([...place.slice(0, -1), join(folder, `${space}.sequencer.db`)]);
      return {
        connect: () => connected([main, "mcp", ...place]),
        async close() {
          const ended = once(sequencer, "exit");
          sequencer.kill();
          await ended;
        },
      };
    },
  };
}

async function connected(args: readonly string[], env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: "bench", version: "1.0.0" });
  const transport = new StdioClientTransport({ command: process.execPath, args: [...args], env, stderr: "ignore" });
  await client.connect(transport);
  return client;
}

async function sequencing(place: readonly string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [main, "sequencer", ...place], { stdio: ["ignore", "pipe", "ignore"] });
  await once(createInterface({ input: child.stdout }), "line");
  return child;
}
