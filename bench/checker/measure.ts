/* Checks one history, as a process of its own, so that its memory is its own: measure.js FORM FILE. */
import { judge, openExportSource, openFileSource, SpaceHistory } from "@seriatim/checker";

/** What one check gave. */
export interface Measured {
  readonly seconds: number;
  /** Of processor, over all threads. */
  readonly processorSeconds: number;
  readonly peakMebibytes: number;
  readonly checked: number;
  readonly serializable: string | undefined;
  readonly inLogOrder: string | undefined;
  readonly objections: number;
}

const [form = "", path = ""] = process.argv.slice(2);
const began = performance.now();
const source = await (form === "embedded" ? openFileSource(path) : openExportSource(path));
const history = new SpaceHistory(source);
const { findings, coverage } = await judge(history);
const seconds = (performance.now() - began) / 1000;
await source.close();
const { user, system } = process.cpuUsage();
const measured: Measured = {
  seconds,
  processorSeconds: (user + system) / 1e6,
  // maxRSS is in kibibytes.
  peakMebibytes: process.resourceUsage().maxRSS / 1024,
  checked: coverage.checked,
  serializable: findings.serializable?.answer,
  inLogOrder: findings.serializable_in_log_order?.answer,
  objections: Array.from(history.objections.counts.values()).reduce((sum, count) => sum + count, 0),
};
console.log(JSON.stringify(measured));
