import type { Faults } from "./faults.ts";
import { whole } from "./numbers.ts";

/** A whole number from 1 to `greatest`. */
export function count(text: string, name: string, greatest: number, faults: Faults): number {
  return upTo(whole(text, name, 1, faults) ?? 1, name, greatest, faults);
}

export function upTo(value: number, name: string, greatest: number, faults: Faults): number {
  if (value > greatest) faults.add(`${name} is ${value}; at most ${greatest} is possible`);
  return value;
}

/** Addresses of brokers, with commas between. */
export function brokersOf(text: string, faults: Faults): string[] {
  return text.split(",").map((broker) => checkedBroker(broker.trim(), faults));
}

function checkedBroker(broker: string, faults: Faults): string {
  const [, port] = /^[^\s,]+:(\d{1,5})$/.exec(broker) ?? [];
  if (port === undefined || Number(port) < 1 || Number(port) > 65_535)
    faults.add(`--brokers names ${JSON.stringify(broker)}; an address is written HOST:PORT, such as 127.0.0.1:9092`);
  return broker;
}
