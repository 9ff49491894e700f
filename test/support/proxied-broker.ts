import { startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { freePort } from "../../tools/kafka/ports.mjs";
import { FaultyProxy } from "./proxy.ts";

export interface ProxiedBroker {
  readonly broker: Broker;
  readonly proxy: FaultyProxy;
}

/** Needs Kafka's jars. Clients of the second listener are sent to the proxy, whatever they ask: brokers advertise an address a listener. */
export async function startProxied(seed: number): Promise<ProxiedBroker> {
  const [port, target, controller] = [await freePort(), await freePort(), await freePort()];
  const proxy = await FaultyProxy.listen({ target, seed });
  const starting = startBroker({
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
  try {
    return { broker: await starting, proxy };
  } catch (error) {
    await proxy.close();
    throw error;
  }
}

function listener(name: string, port: number): string {
  return `${name}://127.0.0.1:${port}`;
}
