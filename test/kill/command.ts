import { parseArgs } from "node:util";
import { runKills } from "./kills.ts";
import { isSound, lineOf } from "./report.ts";

const help = `npm run test:kill -- --log sqlite|kafka [--kills N] [--seed S] [--json]

Kills processes of one space at work with -9, and pauses them: agents, sequencers, a viewer, on Kafka a broker of its own
too. Kafka's needs Java 17 and, the first time, Maven. Needs the build (npm run build). The seed determines who is hit
and after how much progress, not how the processes interleave.

  --log sqlite|kafka   where the space is
  --kills N            how many kills; 50 unless given
  --seed S             a whole number; 1 unless given
  --json               the result as JSON

Exit codes: 0 nothing lost, doubled, unknown or unequal; 1 something was; 64 bad arguments; 70 the run itself failed
`;

/** @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (typeof options === "string") {
    process.stderr.write(options);
    return options === help ? 0 : 64;
  }
  // So that what runs below ends with us.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
  try {
    const report = await runKills({
      ...options,
      onBlow: (done) => {
        if (done % 10 === 0) process.stderr.write(`${done} of ${options.kills} kills\n`);
      },
    });
    for (const violation of report.violations) process.stderr.write(`${violation}\n`);
    process.stdout.write(`${options.json ? JSON.stringify(report) : lineOf(report)}\n`);
    return isSound(report) ? 0 : 1;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return 70;
  }
}

interface Options {
  readonly log: "sqlite" | "kafka";
  readonly kills: number;
  readonly seed: number;
  readonly json: boolean;
}

function optionsOf(args: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        log: { type: "string" },
        kills: { type: "string", default: "50" },
        seed: { type: "string", default: "1" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return help;
    const { log, json } = values;
    const [kills, seed] = [Number(values.kills), Number(values.seed)];
    if (log !== "sqlite" && log !== "kafka") return "--log must be sqlite or kafka\n";
    if (!Number.isSafeInteger(kills) || kills < 1) return "--kills must be a whole number from 1 on\n";
    if (!Number.isSafeInteger(seed) || seed < 0) return "--seed must be a whole number\n";
    return { log, kills, seed, json };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n`;
  }
}
