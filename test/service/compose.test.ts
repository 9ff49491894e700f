/* The compose files, as far as they can be judged without an engine. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { seriatim } from "../cli/command.ts";

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));

function read(name: string): Readonly<Record<string, Service>> {
  const text = readFileSync(`${root}${name}`, "utf8");
  return (parse(text, { merge: true }) as { services: Readonly<Record<string, Service>> }).services;
}

const hasCompose = spawnSync("docker", ["compose", "version"]).status === 0;
const title = hasCompose ? "are what compose takes" : "are what compose takes (skipped: no docker compose here)";

describe("the compose files", () => {
  it.skipIf(!hasCompose)(title, () => {
    for (const files of [["compose.yaml"], ["compose.yaml", "compose.three-brokers.yaml"]]) {
      const flags = files.flatMap((file) => ["--file", file]);
      execFileSync("docker", ["compose", ...flags, "--profile", "demo", "config", "--quiet"], { cwd: root });
    }
  });

  it("publish ports on loopback only, and pin the broker", () => {
    const services = [read("compose.yaml"), read("compose.three-brokers.yaml")].flatMap((file) => Object.entries(file));
    for (const [name, { ports = [], image }] of services) {
      for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/);
      if (image?.startsWith("apache/kafka")) expect(image, name).toMatch(/:4\.\d+\.\d+$/);
    }
  });

  it("give commands that there are, with flags that there are", async () => {
    for (const [name, { image, command = [] }] of Object.entries(read("compose.yaml"))) {
      if (image !== "seriatim:local") continue;
      const [verb = "", ...args] = command;
      const { code, stdout } = await seriatim([verb, "--help"]);
      expect(code, name).toBe(0);
      for (const flag of args.filter((arg) => arg.startsWith("--"))) expect(stdout, name).toContain(`${flag} `);
    }
  });
});
