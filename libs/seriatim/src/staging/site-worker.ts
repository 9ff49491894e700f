import type { Handlers } from "@seriatim/effects";
import { pino } from "pino";
import type { Place } from "../cli/place.ts";
import { keepWorking } from "../service/keep-working.ts";
import type { Address } from "./address.ts";
import type { TemporaryFolder } from "./folder.ts";

/** Calls the effects of a space in this process. Resolves, when it works, with what ends it. */
export async function startSiteWorker(
  address: Address,
  handlers: Handlers,
  folder: TemporaryFolder,
): Promise<() => Promise<void>> {
  const stop = new AbortController();
  let running: Promise<void> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    running = keepWorking({
      place: placeOf(address),
      effectsFile: address.log === "kafka" ? folder.file(`${address.space}.effects.db`) : undefined,
      handlers,
      partitions: undefined,
      concurrency: undefined,
      grace: undefined,
      log: pino({ level: "silent" }),
      onReady: () => resolve(),
      signal: stop.signal,
    });
    running.catch(reject);
  });
  return async () => {
    stop.abort();
    await running;
  };
}

function placeOf(address: Address): Place {
  switch (address.log) {
    case "sqlite":
      return { kind: "file", path: address.file };
    case "kafka":
      return { kind: "kafka", brokers: address.brokers, space: address.space, view: address.view };
  }
}
