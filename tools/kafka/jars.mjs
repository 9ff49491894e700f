// Apache Kafka's jars from Maven, kept outside of the work tree so that every checkout shares them.
import { execFile, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const pom = fileURLToPath(new URL("pom.xml", import.meta.url));
const oldestJava = 17;

export const kafkaVersion = "4.1.1";

/** The command that starts a Java recent enough for Kafka 4, or undefined where there is none. */
export function findJava() {
  const home = process.env.JAVA_HOME;
  const candidates = home ? [join(home, "bin", "java"), "java"] : ["java"];
  return candidates.find((command) => javaVersion(command) >= oldestJava);
}

/** @param {string} command */
function javaVersion(command) {
  // Java writes its settings to stderr. A command that is not there gives no text at all.
  const { stderr } = spawnSync(command, ["-XshowSettings:properties", "-version"], {
    encoding: "utf8",
    timeout: 20_000,
  });
  return Number(/java\.specification\.version = (\d+)/.exec(stderr ?? "")?.[1] ?? 0);
}

export function jarsFolder() {
  const cache = process.env.XDG_CACHE_HOME || join(homedir(), ".cache");
  return join(cache, "seriatim", `kafka-${kafkaVersion}`);
}

/**
 * The folder of jars, fetched with Maven the first time (54 MB). Safe to call from several processes at once: each
 * fetches into a folder of its own, and the first rename wins.
 */
export async function installJars() {
  const folder = jarsFolder();
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}.`);
  try {
    const goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", `-DoutputDirectory=${temporary}`];
    await run("mvn", ["-q", "-B", "-f", pom, ...goal], { timeout: 300_000 });
    await rename(temporary, folder);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    if (existsSync(folder)) return folder;
    throw new Error(`Maven could not fetch Apache Kafka ${kafkaVersion}: ${reason(error)}`, { cause: error });
  }
  return folder;
}

/** @param {unknown} error */
function reason(error) {
  const { code, stdout } = /** @type {{ code?: unknown, stdout?: string }} */ (error);
  if (code === "ENOENT") return "mvn is not installed";
  return stdout?.trim() || String(error);
}
