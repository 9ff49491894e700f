import type * as Tools from "../../tools/kafka/broker.mjs";
import type { Options, Part, Report } from "./report.ts";

const { startBroker } = (await import(
  new URL("../../../tools/kafka/broker.mjs", import.meta.url).href
)) as typeof Tools;

export interface BrokerPart {
  readonly name: string;
  readonly about: string;
  readonly measure: (brokers: readonly string[], options: Options) => Promise<Report>;
}

/** Measured on the brokers of SERIATIM_TEST_BROKERS, else on one of its own; skipped where none can be had. */
export function brokerPart({ name, about, measure }: BrokerPart): Part {
  return { name, about, run: (options) => run(name, measure, options) };
}

async function run(part: string, measure: BrokerPart["measure"], options: Options): Promise<Report> {
  const given = process.env["SERIATIM_TEST_BROKERS"] ?? "";
  if (given !== "") return measure(given.split(","), options);
  let broker;
  try {
    broker = await startBroker();
  } catch (error) {
    return { part, figures: [], ratios: [], skipped: error instanceof Error ? error.message : String(error) };
  }
  try {
    return await measure(broker.brokers, options);
  } finally {
    await broker.stop();
  }
}
