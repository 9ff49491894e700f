// A broker as a container.
import { execFile } from "node:child_process";
import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brokerProperties, toEnvironment } from "./properties.mjs";
import { untilServing } from "./ports.mjs";
import { kafkaVersion } from "./jars.mjs";

const run = promisify(execFile);
const dataInside = "/var/lib/kafka/data";
const image = `apache/kafka:${kafkaVersion}`;

/** Whether a Docker engine answers, within 5 seconds. */
export async function dockerAnswers() {
  try {
    await run("docker", ["info", "--format", "{{.ServerVersion}}"], { timeout: 5000 });
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {{ port: number, controllerPort: number, dataDirectory: string | undefined,
 *   properties: Record<string, string> }} options
 * @returns {Promise<import("./broker.d.mts").Broker>}
 */
export async function startContainer({ port, controllerPort, dataDirectory, properties }) {
  const inside = { port, controllerPort, dataDirectory: dataInside, host: "0.0.0.0" };
  const wanted = toEnvironment({ ...brokerProperties(inside), ...properties });
  const environment = wanted.flatMap((entry) => ["--env", entry]);
  const volume =
    dataDirectory === undefined ? [] : ["--volume", `${await writable(join(dataDirectory, "data"))}:${dataInside}`];
  const publish = ["--publish", `127.0.0.1:${port}:${port}`];
  const { stdout } = await run("docker", ["run", "--detach", ...publish, ...volume, ...environment, image]);
  const container = stdout.trim();
  const remove = () => run("docker", ["rm", "--force", "--volumes", container]);
  const serves = () => untilServing(port, untilEnded(container), () => `The container ${container} ended`);
  try {
    await containerServes(container, port, serves);
  } catch (error) {
    const { stdout: lines } = await run("docker", ["logs", "--tail", "40", container]);
    await remove();
    throw new Error(`Kafka did not start in Docker. Its last lines:\n${lines}`, { cause: error });
  }
  return {
    brokers: [`127.0.0.1:${port}`],
    kind: "docker",
    pid: undefined,
    kill: async () => void (await run("docker", ["kill", container])),
    restart: async () => {
      await run("docker", ["restart", "--time", "10", container]);
      await containerServes(container, port, serves);
    },
    stop: async () => void (await remove()),
  };
}

/**
 * Docker itself may accept connections on a published port before the broker does, so the port is tried inside.
 * @param {string} container
 * @param {number} port
 * @param {() => Promise<void>} serves
 */
async function containerServes(container, port, serves) {
  const wait = `until (</dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.1; done`;
  await run("docker", ["exec", container, "timeout", "60", "bash", "-c", wait]);
  await serves();
}

/** @param {string} container */
async function untilEnded(container) {
  await run("docker", ["wait", container]).catch(() => undefined);
}

/** @param {string} folder an absolute path */
async function writable(folder) {
  await mkdir(folder, { recursive: true });
  // The image's user is not ours.
  await chmod(folder, 0o777);
  return folder;
}
