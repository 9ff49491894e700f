// Starts command.ts from its sources: Node 20 runs no TypeScript by itself.
import { fileURLToPath } from "node:url";
import { runnerImport } from "vite";

const conditions = ["source", "module", "node", "development|production"];
const { module } = await runnerImport(fileURLToPath(new URL("command.ts", import.meta.url)), {
  configFile: false,
  logLevel: "error",
  root: fileURLToPath(new URL("../../..", import.meta.url)),
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["source", "node"] } },
});
process.exitCode = await module.main(process.argv.slice(2));
