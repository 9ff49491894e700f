// A broker as a Java process of ours.
import { execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brokerProperties, toFile } from "./properties.mjs";
import { untilServing } from "./ports.mjs";

const run = promisify(execFile);
const log4j = fileURLToPath(new URL("log4j2.xml", import.meta.url));
const linesKept = 40;
const graceMs = 10_000;

/**
 * @param {{ java: string, jars: string, port: number, controllerPort: number, dataDirectory: string | undefined,
 *   properties: Record<string, string>, clusterId: string }} options
 * @returns {Promise<import("./broker.d.mts").Broker>}
 */
export async function startJvm({ java, jars, port, controllerPort, dataDirectory, properties, clusterId }) {
  const folder = dataDirectory ?? (await mkdtemp(join(tmpdir(), "seriatim-kafka-")));
  const temporary = dataDirectory === undefined;
  const file = join(folder, "server.properties");
  const wanted = { ...brokerProperties({ port, controllerPort, dataDirectory: join(folder, "data") }), ...properties };
  const java4j = [`-Dlog4j2.configurationFile=${log4j}`, "-cp", join(jars, "*")];
  await mkdir(folder, { recursive: true });
  await writeFile(file, toFile(wanted));
  if (!existsSync(join(folder, "data", "meta.properties"))) await format(java, java4j, file, clusterId);

  const command = ["-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", ...java4j, "kafka.Kafka", file];
  const launch = () => launchProcess(java, command, port, temporary ? folder : undefined);
  let child = await launch();

  return {
    brokers: [`127.0.0.1:${port}`],
    kind: "jars",
    get pid() {
      return child.pid;
    },
    kill: () => child.end("SIGKILL"),
    restart: async () => {
      await child.end("SIGTERM");
      child = await launch();
    },
    stop: async () => {
      // Nobody reads what a temporary folder holds, so there is nothing to end cleanly for.
      await child.end(temporary ? "SIGKILL" : "SIGTERM");
      if (temporary) await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * @param {string} java
 * @param {string[]} java4j
 * @param {string} file
 * @param {string} clusterId
 */
async function format(java, java4j, file, clusterId) {
  const tool = ["kafka.tools.StorageTool", "format", "-t", clusterId, "-c", file];
  await run(java, ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", ...java4j, ...tool], { timeout: 60_000 });
}

/**
 * @param {string} java
 * @param {string[]} command
 * @param {number} port
 * @param {string | undefined} temporaryFolder
 */
async function launchProcess(java, command, port, temporaryFolder) {
  // In a process group of its own, so that Ctrl-C reaches it through us alone.
  const child = spawn(java, command, { stdio: ["ignore", "pipe", "pipe"], detached: true });
  const output = keepLast(child);
  const ended = new Promise((resolve) => child.once("close", resolve));
  const watcher = watchOver(child.pid, temporaryFolder);
  const killAtExit = () => child.kill("SIGKILL");
  process.once("exit", killAtExit);
  void ended.then(() => {
    process.off("exit", killAtExit);
    watcher?.kill("SIGKILL");
  });

  /** @param {NodeJS.Signals} signal */
  const end = async (signal) => {
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), graceMs);
    await ended;
    clearTimeout(timer);
  };

  try {
    await untilServing(port, ended, () => `Kafka ended before it served. Its last lines:\n${output()}`);
  } catch (error) {
    await end("SIGKILL");
    throw error;
  }
  return { pid: child.pid, end };
}

/** @param {import("node:child_process").ChildProcess} child */
function keepLast(child) {
  /** @type {string[]} */
  let lines = [];
  /** @param {Buffer} chunk */
  const keep = (chunk) => {
    lines = [...lines, ...chunk.toString("utf8").trimEnd().split("\n")].slice(-linesKept);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  child.once("error", (error) => lines.push(String(error)));
  return () => lines.join("\n");
}

/**
 * Ends the broker if this process dies without having done so: the shell's stdin closes with us.
 * @param {number | undefined} pid
 * @param {string | undefined} temporaryFolder
 */
function watchOver(pid, temporaryFolder) {
  if (pid === undefined || process.platform === "win32") return undefined;
  const script = 'cat >/dev/null; kill -9 "$1" 2>/dev/null; [ -n "$2" ] && rm -rf -- "$2"';
  const watcher = spawn("sh", ["-c", script, "sh", String(pid), temporaryFolder ?? ""], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  watcher.on("error", () => undefined);
  watcher.unref();
  return watcher;
}
