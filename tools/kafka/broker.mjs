// One real Apache Kafka on the loopback: from Docker where an engine runs, else from Maven's jars under Java.
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { dockerAnswers, startContainer } from "./docker.mjs";
import { findJava, installJars, jarsFolder, kafkaVersion } from "./jars.mjs";
import { startJvm } from "./jvm.mjs";
import { freePort, isOpen } from "./ports.mjs";

const noBroker =
  `No way to run Apache Kafka ${kafkaVersion} here. Start a Docker engine, ` +
  "or install Java 17 and Maven (Debian: apt-get install openjdk-17-jre-headless maven).";

/** Whether a broker can be started from jars, also where Docker would be taken: only that one listens as it is told to. */
export function canUseJars() {
  const fetched = existsSync(jarsFolder()) || spawnSync("mvn", ["-v"], { timeout: 20_000 }).status === 0;
  return fetched && findJava() !== undefined;
}

/** @returns {Promise<import("./broker.d.mts").BrokerKind | undefined>} */
export async function availableKind() {
  if (await dockerAnswers()) return "docker";
  return canUseJars() ? "jars" : undefined;
}

/**
 * @param {import("./broker.d.mts").BrokerOptions} [options]
 * @returns {Promise<import("./broker.d.mts").Broker>}
 */
export async function startBroker(options = {}) {
  const kind = options.from ?? (await availableKind());
  if (kind === undefined) throw new Error(noBroker);
  if (options.port !== undefined && (await isOpen(options.port))) {
    throw new Error(
      `Port ${options.port} of 127.0.0.1 is taken. End what serves there, or choose another with --port.`,
    );
  }
  const dataDirectory = options.dataDirectory === undefined ? undefined : resolve(options.dataDirectory);
  const settings = {
    port: options.port ?? (await freePort()),
    controllerPort: await freePort(),
    dataDirectory,
    properties: options.properties ?? {},
    clusterId: options.clusterId ?? newClusterId(),
  };
  if (kind === "jars") return startFromJars(settings);
  try {
    return await startContainer(settings);
  } catch (error) {
    if (options.from !== undefined || !canUseJars()) throw error;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\nTrying Maven's jars instead.\n`);
    return startFromJars(settings);
  }
}

/** As Kafka wants it: 16 bytes in base64url, and no dash at the beginning, which its tool would take for an option. */
export function newClusterId() {
  return randomBytes(16).toString("base64url").replace(/^-/, "A");
}

/** @param {Omit<Parameters<typeof startJvm>[0], "java" | "jars">} options */
async function startFromJars(options) {
  const java = findJava();
  if (java === undefined) throw new Error(noBroker);
  return startJvm({ ...options, java, jars: await installJars() });
}
