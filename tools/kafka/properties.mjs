// What a single-node Kafka for development and tests is told. Both ways of starting it use these.

/**
 * @param {{ port: number, controllerPort: number, dataDirectory: string, host?: string }} options
 *   `host` is where the broker listens; clients are always told 127.0.0.1.
 * @returns {Record<string, string>}
 */
export function brokerProperties({ port, controllerPort, dataDirectory, host = "127.0.0.1" }) {
  return {
    "node.id": "1",
    "process.roles": "broker,controller",
    "controller.quorum.voters": `1@127.0.0.1:${controllerPort}`,
    "controller.listener.names": "CONTROLLER",
    listeners: `PLAINTEXT://${host}:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    "advertised.listeners": `PLAINTEXT://127.0.0.1:${port}`,
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
    "log.dirs": dataDirectory,
    // Topics are made on purpose, with the settings that the guarantees rest on.
    "auto.create.topics.enable": "false",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    // A group of one need not wait for others.
    "group.initial.rebalance.delay.ms": "0",
    // A broker that was killed waits at its return until its old registration has run out.
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "200",
  };
}

/** @param {Record<string, string>} properties */
export function toFile(properties) {
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");
}

/**
 * As the Docker image reads them: `a.b` is `KAFKA_A_B`.
 * @param {Record<string, string>} properties
 */
export function toEnvironment(properties) {
  return Object.entries(properties).map(([name, value]) => `KAFKA_${name.replaceAll(".", "_").toUpperCase()}=${value}`);
}
