import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import type { Measured } from "./measure.ts";
import { forms, writeHistory, type Form } from "./write.ts";

const help = `npm run bench:checker -- [options]

How fast a history is judged, from its file to the verdict, and the most memory that takes: once serializable, and once
with one cycle in the middle.

  --transactions N,...  how long the histories are, from 10 on (100000,1000000,10000000)
  --forms NAME,...      of ${forms.join(", ")}; all unless given
  --json                a line of JSON for each
  --help

Exit codes: 0 measured, 1 judged wrongly, 64 bad arguments, 70 crash.
`;

const { counts, wanted, json } = chosen();
const folder = await mkdtemp(join(tmpdir(), "bench-checker-"));
try {
  for (const count of counts)
    for (const form of wanted) for (const cycle of [false, true]) print(await measured(form, count, cycle));
} finally {
  await rm(folder, { recursive: true, force: true });
}

function chosen(): { counts: readonly number[]; wanted: readonly Form[]; json: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        transactions: { type: "string", default: "100000,1000000,10000000" },
        forms: { type: "string", default: forms.join() },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return leave(0, process.stdout, help);
    const lengths = values.transactions.split(",").map(Number);
    if (!lengths.every((count) => Number.isSafeInteger(count) && count >= 10))
      throw new Error(`--transactions takes numbers from 10 on, with commas between them, not ${values.transactions}`);
    const named = values.forms.split(",").map((form) => forms.find((known) => known === form));
    if (!named.every((form) => form !== undefined))
      throw new Error(`--forms takes ${forms.join()}, not ${values.forms}`);
    return { counts: lengths, wanted: named, json: values.json };
  } catch (error) {
    return leave(64, process.stderr, `${error instanceof Error ? error.message : String(error)}\n\n${help}`);
  }
}

function leave(code: number, stream: NodeJS.WriteStream, text: string): never {
  stream.write(text);
  process.exit(code);
}

async function measured(form: Form, transactions: number, cycle: boolean): Promise<object> {
  const path = join(folder, `history-${form}`);
  await writeHistory(form, path, transactions, cycle);
  const { size } = await stat(path);
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, "measure.js"), form, path]);
  const { seconds, processorSeconds, peakMebibytes, ...answer } = JSON.parse(stdout) as Measured;
  await rm(path);
  if (answer.serializable !== (cycle ? "violated" : "holds") || answer.objections > 0) process.exitCode = 1;
  return {
    form,
    transactions,
    history: cycle ? "one cycle" : "serializable",
    "file MiB": Math.round(size / 2 ** 20),
    seconds: Math.round(seconds * 100) / 100,
    "transactions a second": Math.round(transactions / seconds),
    "processor, µs each": Math.round((processorSeconds * 1e7) / transactions) / 10,
    "peak MiB": Math.round(peakMebibytes),
    ...answer,
  };
}

function print(line: object): void {
  const text = Object.entries(line).map(([name, value]) => `${name} ${String(value)}`);
  console.log(json ? JSON.stringify(line) : text.join(", "));
}
