import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SqliteFile } from "@seriatim/log";
import { View } from "@seriatim/view";
import { EmbeddedSpace } from "../../libs/seriatim/src/embedded-space.ts";
import { initKafka } from "../../libs/seriatim/src/kafka-init.ts";
import { KafkaSpace } from "../../libs/seriatim/src/kafka-space.ts";
import { startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import type { Kind } from "./member.ts";

/** A space to attack: who works in it, and how each of them is started. */
export interface Place {
  readonly log: "sqlite" | "kafka";
  readonly members: readonly { readonly name: string; readonly kind: Kind }[];
  /** The arguments of Node that start a member. */
  command(name: string, kind: Kind, incarnation: number, pending: number): readonly string[];
  readonly broker: Broker | undefined;
  /** A participant of its own, to judge by. */
  open(): Promise<EmbeddedSpace | KafkaSpace>;
  /** The files of the views that members have folded into. */
  readonly views: readonly string[];
  end(): Promise<void>;
}

const child = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const main = fileURLToPath(new URL("../../libs/seriatim/dist/main.js", import.meta.url));
const agents = ["ada", "ben", "cy", "di"].map((name) => ({ name, kind: "agent" as const }));
const partitions = 2;

/** One file: every process that opens it decides. */
export async function filePlace(folder: string): Promise<Place> {
  const file = join(folder, "state.db");
  await (await EmbeddedSpace.open(file)).close();
  const where = JSON.stringify({ file });
  return {
    log: "sqlite",
    members: [...agents, { name: "vera", kind: "viewer" }],
    command: (name, kind, incarnation, pending) =>
      kind === "agent"
        ? [child("agent.mjs"), name, String(incarnation), String(pending), where]
        : [child("viewer.mjs"), name, where],
    broker: undefined,
    open: () => EmbeddedSpace.open(file),
    views: [file],
    end: () => Promise.resolve(),
  };
}

/** A broker of its own, two sequencers, and a view for each process; two agents share one. */
export async function kafkaPlace(folder: string): Promise<Place> {
  const broker = await startBroker();
  const { brokers } = broker;
  const space = `kills-${randomUUID()}`;
  await initKafka({ brokers, space, partitions, replication: 1 });
  const members = [
    ...["seth", "sue"].map((name) => ({ name, kind: "sequencer" as const })),
    ...agents,
    { name: "vera", kind: "viewer" as const },
  ];
  const view = (name: string): string => join(folder, `${name === "ben" ? "ada" : name}.view.db`);
  return {
    log: "kafka",
    members,
    command: (name, kind, incarnation, pending) => {
      if (kind === "sequencer") {
        const flags = ["--brokers", brokers.join(","), "--space", space, "--view", view(name)];
        return [main, "sequencer", "--json", ...flags];
      }
      const where = JSON.stringify({ brokers, space, view: view(name) });
      return kind === "agent"
        ? [child("agent.mjs"), name, String(incarnation), String(pending), where]
        : [child("viewer.mjs"), name, where];
    },
    broker,
    open: () => KafkaSpace.open({ brokers, space, view: join(folder, "judge.view.db") }),
    views: [...new Set(members.map(({ name }) => view(name)))],
    end: () => broker.stop(),
  };
}

/** What `work` makes of a view that a member has left. */
export async function withView<T>(path: string, work: (view: View) => T): Promise<T> {
  const file = SqliteFile.open(path, { create: false });
  try {
    const view = await View.open(file);
    return await file.read(() => work(view));
  } finally {
    file.close();
  }
}
