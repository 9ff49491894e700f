/* npm run bench:contention: the workloads in full size, one after another; what is given besides goes to each of them. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../libs/seriatim/dist/main.js", import.meta.url));
const given = process.argv.slice(2);
const isKafka = given.includes("--brokers");
const peers = isKafka ? [] : ["--peers"];
const commands = [
  ["anomalies"],
  ["bench", ...peers],
  ["bench", "--processes", ...peers],
  ["sweep"],
  ["sweep", "--processes"],
  ["sweep", "--processes", "--signal"],
  ["decisions"],
];

for (const command of commands) {
  process.stdout.write(`\nseriatim ${[...command, ...given].join(" ")}\n`);
  const { status } = spawnSync(process.execPath, [program, ...command, ...given], { stdio: "inherit" });
  if (status !== 0) process.exitCode = status ?? 70;
}
