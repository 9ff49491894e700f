import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Processes, StartOptions } from "./processes.ts";

const program = fileURLToPath(new URL("../main.js", import.meta.url));

/** Starts one of this program's services. Resolves when it is ready: it says so in one line. */
export function startService(options: Omit<StartOptions, "module">, processes: Processes): Promise<void> {
  const { stdout } = processes.start({ ...options, module: program });
  return new Promise((resolve, reject) => {
    if (stdout === null) return reject(new Error(`${options.name} has no stdout`));
    createInterface(stdout).once("line", () => resolve());
  });
}
