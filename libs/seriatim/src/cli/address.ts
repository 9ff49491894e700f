import type { Faults } from "./faults.ts";

export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `host:port` for others to connect to; undefined when it is none. */
export function parseAddress(text: string): Address | undefined {
  const [, host, digits] = /^(\[[0-9a-fA-F:.]+\]|[^\s:]+):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (host === undefined || port > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ""), port };
}

/** Where to listen; port 0 takes any that is free. Undefined when nowhere, or at fault. */
export function listenOf(text: string | undefined, faults: Faults): Address | undefined {
  if (text === undefined || text === "") return undefined;
  const address = parseAddress(text);
  if (address === undefined)
    faults.add(`--listen: ${JSON.stringify(text)} is no HOST:PORT, such as 127.0.0.1:9464, or 0.0.0.0:9464 for all`);
  return address;
}

/** Addresses of brokers, with commas between. */
export function brokersOf(text: string, faults: Faults): string[] {
  const brokers = text.split(",").map((broker) => broker.trim());
  for (const broker of brokers) {
    if ((parseAddress(broker)?.port ?? 0) === 0)
      faults.add(`--brokers: ${JSON.stringify(broker)} is no HOST:PORT, such as 127.0.0.1:9092`);
  }
  return brokers;
}
