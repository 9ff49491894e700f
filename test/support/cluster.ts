import { newClusterId, startBroker, type Broker } from "../../tools/kafka/broker.mjs";
import { freePort } from "../../tools/kafka/ports.mjs";

const size = 3;

/** Three brokers, each a controller too, of which any one may be lost. Needs Kafka's jars. */
export async function startCluster(): Promise<readonly Broker[]> {
  const clusterId = newClusterId();
  const nodes: { readonly id: number; readonly port: number; readonly controller: number }[] = [];
  for (let id = 1; id <= size; id += 1) nodes.push({ id, port: await freePort(), controller: await freePort() });
  const voters = nodes.map(({ id, controller }) => `${id}@127.0.0.1:${controller}`).join(",");
  // None serves before two of them are there.
  return Promise.all(
    nodes.map(({ id, port, controller }) =>
      startBroker({
        from: "jars",
        port,
        clusterId,
        properties: {
          "node.id": `${id}`,
          "controller.quorum.voters": voters,
          listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
          "offsets.topic.replication.factor": `${size}`,
          "min.insync.replicas": `${size - 1}`,
          "unclean.leader.election.enable": "false",
          // Whoever stands first among a partition's replicas leads it as soon as it can.
          "leader.imbalance.check.interval.seconds": "1",
          "leader.imbalance.per.broker.percentage": "0",
        },
      }),
    ),
  );
}
