import { afterAll, beforeAll, describe } from "vitest";
import { availableKind, startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { freePort } from "../../tools/kafka/ports.mjs";
import { describeKafka } from "./kafka.ts";
import { FaultyProxy } from "./proxy.ts";

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

export interface ProxiedBroker {
  readonly broker: Broker;
  readonly proxy: FaultyProxy;
}

/** As {@link describeOwnBroker}; the broker can be reached directly, and through a proxy, which it then advertises. */
export async function describeProxied(
  name: string,
  seed: number,
  body: (proxied: () => ProxiedBroker) => void,
): Promise<void> {
  const kind = await availableKind();
  await describeKafka(name, () => {
    let found: ProxiedBroker | undefined;
    // In a container the second listener's port would have to be published too.
    describe.skipIf(kind !== "jars")("behind a proxy", () => {
      beforeAll(async () => (found = await startProxied(seed)));
      afterAll(async () => {
        await found?.proxy.close();
        await found?.broker.stop();
      });
      body(() => started(found));
    });
  });
}

/** Clients of the second listener are sent to the proxy, whatever they ask: brokers advertise an address a listener. */
async function startProxied(seed: number): Promise<ProxiedBroker> {
  const [port, target, controller] = [await freePort(), await freePort(), await freePort()];
  const proxy = await FaultyProxy.listen({ target, seed });
  const broker = await startBroker({
    from: "jars",
    port,
    properties: {
      listeners: [listener("PLAINTEXT", port), listener("PROXIED", target), listener("CONTROLLER", controller)].join(
        ",",
      ),
      "advertised.listeners": [listener("PLAINTEXT", port), `PROXIED://${proxy.address}`].join(","),
      "controller.quorum.voters": `1@127.0.0.1:${controller}`,
      "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,CONTROLLER:PLAINTEXT",
    },
  });
  return { broker, proxy };
}

function listener(name: string, port: number): string {
  return `${name}://127.0.0.1:${port}`;
}

function started<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the broker was not started");
  return value;
}
