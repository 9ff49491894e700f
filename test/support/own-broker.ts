import { afterAll, beforeAll, describe } from "vitest";
import { availableKind, canUseJars, startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { describeKafka } from "./kafka.ts";
import { startProxied, type ProxiedBroker } from "./proxied-broker.ts";

/**
 * Describes tests that kill a broker, and gives them one of their own: the run's serves other tests, and may be
 * somebody's. Skipped where Kafka is given and none can be started.
 */
export async function describeOwnBroker(name: string, body: (broker: () => Broker) => void): Promise<void> {
  const kind = await availableKind();
  await describeKafka(name, () => {
    let broker: Broker | undefined;
    describe.skipIf(kind === undefined)("on a broker of its own", () => {
      beforeAll(async () => {
        if (kind !== undefined) broker = await startBroker({ from: kind });
      });
      afterAll(async () => broker?.stop());
      body(() => started(broker));
    });
  });
}

/** As {@link describeOwnBroker}; the broker can be reached directly, and through a proxy, which it then advertises. */
export async function describeProxied(
  name: string,
  seed: number,
  body: (proxied: () => ProxiedBroker) => void,
): Promise<void> {
  await describeKafka(name, () => {
    let found: ProxiedBroker | undefined;
    // In a container the second listener's port would have to be published too.
    describe.skipIf(!canUseJars())("behind a proxy", () => {
      beforeAll(async () => (found = await startProxied(seed)));
      afterAll(async () => {
        await found?.proxy.close();
        await found?.broker.stop();
      });
      body(() => started(found));
    });
  });
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the broker was not started");
  return value;
}
