import { defineConfig } from "vitest/config";

// Workspace packages resolve to their sources, so that tests run unbuilt.
const conditions = ["source", "module", "node", "development|production"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ["source", "node"] } },
  test: {
    include: ["**/test/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["test/support/broker.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    // Room for what lives but shortly: else the simulation spends a tenth of its time collecting it.
    execArgv: ["--max-semi-space-size=64"],
    // Imports a package that offers its sources under the same condition, in a form that Node does not run.
    server: { deps: { inline: [/sdk\/dist\/esm\/client\/streamableHttp\.js/, /eventsource-parser/] } },
  },
});
