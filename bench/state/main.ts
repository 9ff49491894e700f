/*
 * npm run bench:state -- --records N --window W: how much memory a sequencer's state takes as its ids and keys pass by,
 * and how long a start from the view takes when all of a window has to be loaded.
 */
import { parseArgs } from "node:util";
import { grow } from "./grow.ts";
import { measureStart } from "./start.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: String(2 ** 24 + 2 ** 16) },
    window: { type: "string", default: String(2 ** 12) },
    "start-window": { type: "string", default: "1000000" },
    json: { type: "boolean", default: false },
  },
});
const records = Number(values.records);
const window = Number(values.window);
const print = (line: object): void => console.log(values.json ? JSON.stringify(line) : describe(line));

const began = performance.now();
const resident = new Map<number, number>();
const { state, compared, differing, outcomes } = grow(records, window, (done) => {
  if (done < 2 ** 18 || (done & (done - 1)) !== 0) return;
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  resident.set(done, rss);
  print({ records: done, "resident MiB": mebibytes(rss), "heap MiB": mebibytes(heapUsed) });
});
const seconds = (performance.now() - began) / 1000;
print({ records, window, seconds: round(seconds), "records a second": Math.round(records / seconds), ...state.size });
print({ compared, differing: differing.length, ...Object.fromEntries(outcomes) });
for (const line of differing.slice(0, 5)) console.error(line);
if (differing.length > 0) process.exitCode = 1;

const [at22, at24] = [resident.get(2 ** 22), resident.get(2 ** 24)];
if (at22 !== undefined && at24 !== undefined)
  print({ "resident memory from 2^22 to 2^24 records, in percent": round((100 * at24) / at22 - 100) });

print(await measureStart(Number(values["start-window"])));

function describe(line: object): string {
  return Object.entries(line)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

export function mebibytes(bytes: number): number {
  return round(bytes / 2 ** 20);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
