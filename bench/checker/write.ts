import { open } from "node:fs/promises";
import { SqliteFile, SqliteLog } from "@seriatim/log";
import { bufferOf } from "@seriatim/protocol";
import { agentOf, idOf, keyNames, RecordMaker, timeOf, type RecordPair } from "./records.ts";
import { workload, type WorkloadTransaction } from "./workload.ts";

const batch = 2000;

/** Where a history is kept. `lines` is an export without chain hashes, as any other system can write one. */
export const forms = ["lines", "export", "embedded"] as const;
export type Form = (typeof forms)[number];

export async function writeHistory(form: Form, path: string, count: number, cycle: boolean): Promise<void> {
  if (form === "embedded") await writeEmbedded(path, count, cycle);
  else await writeLines(path, count, cycle, form === "export");
}

async function writeLines(path: string, count: number, cycle: boolean, isChained: boolean): Promise<void> {
  const maker = isChained ? new RecordMaker() : undefined;
  const file = await open(path, "w");
  try {
    let lines = maker === undefined ? [header({ "0": 1 })] : chainedHead(maker.genesis());
    for (const transaction of workload(count, cycle)) {
      lines.push(JSON.stringify(lineOf(transaction, maker?.next(transaction))));
      if (lines.length < batch) continue;
      await file.write(`${lines.join("\n")}\n`);
      lines = [];
    }
    if (lines.length > 0) await file.write(`${lines.join("\n")}\n`);
  } finally {
    await file.close();
  }
}

function header(starts: Readonly<Record<string, number>>, genesis?: Uint8Array): string {
  const whole = genesis === undefined ? {} : { genesis: Buffer.from(genesis).toString("base64") };
  return JSON.stringify({ seriatim: "export", version: 1, logs: ["intents", "verdicts"], ...whole, starts });
}

function chainedHead({ intent, verdict }: RecordPair): string[] {
  return [header({ "0": 0 }, intent), recordLine("intents", intent), recordLine("verdicts", verdict)];
}

function recordLine(log: string, bytes: Uint8Array): string {
  return JSON.stringify({
    log,
    partition: 0,
    offset: 0,
    time: timeOf(0),
    record: Buffer.from(bytes).toString("base64"),
  });
}

function lineOf({ offset, snapshot, reads, writes }: WorkloadTransaction, pair: RecordPair | undefined): object {
  const value = String(offset);
  return {
    offset,
    time: timeOf(offset),
    id: idOf(offset),
    agent: agentOf(offset),
    snapshot,
    ...(reads.length === 0 ? {} : { points: reads.map(([key, version]) => [keyNames[key], version]) }),
    ...(writes.length === 0 ? {} : { writes: writes.map((key) => [keyNames[key], value]) }),
    outcome: "committed",
    ...(pair === undefined ? {} : { chain: bufferOf(pair.chain).toString("base64") }),
  };
}

async function writeEmbedded(path: string, count: number, cycle: boolean): Promise<void> {
  const file = SqliteFile.open(path, { synchronous: "normal" });
  try {
    const intents = await SqliteLog.open(file, "intents");
    const verdicts = await SqliteLog.open(file, "verdicts");
    const maker = new RecordMaker();
    let pairs = [maker.genesis()];
    let first = 0;
    const flush = async (): Promise<void> => {
      await file.transaction(() => {
        for (const [at, { intent, verdict }] of pairs.entries()) {
          intents.appendNow(0, [{ value: intent }], timeOf(first + at));
          verdicts.appendNow(0, [{ value: verdict }], timeOf(first + at));
        }
      });
      first += pairs.length;
      pairs = [];
    };
    for (const transaction of workload(count, cycle)) {
      pairs.push(maker.next(transaction));
      if (pairs.length >= batch) await flush();
    }
    await flush();
  } finally {
    file.close();
  }
}
