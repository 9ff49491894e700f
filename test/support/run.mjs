// Starts a command of the tests from its sources: Node 20 runs no TypeScript by itself. Takes its path below test/, and
// what the command is given.
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const [command = "", ...args] = process.argv.slice(2);
const conditions = ["source", "module", "node", "development|production"];
const { module } = await runnerImport(fileURLToPath(new URL(`../${command}`, import.meta.url)), {
  configFile: false,
  logLevel: "error",
  root: fileURLToPath(new URL("../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["source", "node"] } },
});
process.exitCode = await module.main(args);
