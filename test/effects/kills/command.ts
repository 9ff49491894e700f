import { parseArgs } from "node:util";
import { runKills, type KillOptions, type RunReport } from "./kills.ts";

const help = `npm run test:effects -- --log sqlite|kafka [--runs N] [--seed S] [--json]

Kills workers for effects with -9, or halts them, at every step of their work, while another takes over; the outside world
is an HTTP server that stalls, fails and counts. Needs the build (npm run build); for Kafka, the addresses of brokers in
SERIATIM_TEST_BROKERS. The seed says which step, when, and what was deferred.

  --log sqlite|kafka   where the space is
  --runs N             how many runs; 18 unless given: each step once with each signal
  --seed S             of the first run; 0 unless given
  --json               a line of JSON a run

Exit codes: 0 all that must hold did; 1 something did not; 64 bad arguments; 70 the run itself failed
`;

/** @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const options = optionsOf(args);
  if (typeof options === "string") {
    process.stderr.write(options);
    return options === help ? 0 : 64;
  }
  const { json, ...rest } = options;
  const onRun = (done: number, run: RunReport): void => {
    for (const violation of run.violations) process.stderr.write(`seed ${run.plan.seed}: ${violation}\n`);
    if (json) process.stdout.write(`${JSON.stringify(run)}\n`);
    else if (done % 10 === 0) process.stderr.write(`${done} of ${rest.runs} runs\n`);
  };
  try {
    const reports = await runKills({ ...rest, onRun });
    if (!json) process.stdout.write(`${summary(rest, reports)}\n`);
    return reports.some(({ violations }) => violations.length > 0) ? 1 : 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    return 70;
  }
}

function summary({ log, seed }: KillOptions, reports: readonly RunReport[]): string {
  const sum = (of: (run: RunReport) => number): number => reports.reduce((total, run) => total + of(run), 0);
  const struck = reports.filter(({ isStruck }) => isStruck);
  const killed = struck.filter(({ plan }) => plan.signal === "SIGKILL").length;
  return [
    `${log}, seeds ${seed} to ${seed + reports.length - 1}: ${reports.length} runs`,
    `${killed} killed, ${struck.length - killed} halted over a take-over, ${reports.length - struck.length} not struck`,
    `${sum(({ plan }) => plan.intents.flat().length)} effects, ${sum(({ duplicates }) => duplicates)} requests repeated`,
    `${sum(({ unknown }) => unknown)} of unknown outcome, ${sum(({ violations }) => violations.length)} violations`,
  ].join("; ");
}

function optionsOf(args: readonly string[]): (KillOptions & { readonly json: boolean }) | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        log: { type: "string" },
        runs: { type: "string", default: "18" },
        seed: { type: "string", default: "0" },
        json: { type: "boolean", default: false },
        help: { type: "boolean", default: false },
      },
    });
    if (values.help) return help;
    const { log, json } = values;
    const [runs, seed] = [Number(values.runs), Number(values.seed)];
    const brokers = (process.env["SERIATIM_TEST_BROKERS"] ?? "").split(",").filter((broker) => broker !== "");
    if (log !== "sqlite" && log !== "kafka") return "--log must be sqlite or kafka\n";
    if (!Number.isSafeInteger(runs) || runs < 1) return "--runs must be a whole number from 1 on\n";
    if (!Number.isSafeInteger(seed) || seed < 0) return "--seed must be a whole number\n";
    if (log === "kafka" && brokers.length === 0) return "name brokers in SERIATIM_TEST_BROKERS\n";
    return { log, runs, seed, json, brokers };
  } catch (error) {
    return `${error instanceof Error ? error.message : String(error)}\n`;
  }
}
