import { deal, totalsOf, type PostgresServer, type Settings, type Totals } from "@seriatim/workloads";
import type { TemporaryFolder } from "../staging/folder.ts";
import type { FilePlace, KafkaPlace } from "../staging/place.ts";
import { Processes } from "../staging/processes.ts";
import { setStage } from "../staging/stage.ts";
import { withProcesses } from "../staging/with-processes.ts";
import type { Arena, Entrant, Outcome } from "./arena.ts";
import { crewInProcess, crewOfProcesses } from "./crew.ts";
import type { Job } from "./job.ts";
import { postgresArena, sqliteArena } from "./peer-arena.ts";
import { budgetArena, counterArena } from "./seriatim-arena.ts";

export interface Sizes {
  readonly agents: number;
  /** Of each agent. */
  readonly transactions: number;
  readonly keys: number;
  readonly seed: number;
  /** Each agent a process of its own. */
  readonly processes: boolean;
}

export interface ContestOptions {
  readonly entrant: Entrant;
  readonly sizes: Sizes;
  /** How often a budget changes, in ms; undefined for counters. */
  readonly budgetInterval: number | undefined;
  readonly place: FilePlace | KafkaPlace;
  readonly folder: TemporaryFolder;
  readonly postgres: PostgresServer | undefined;
  readonly signal: AbortSignal;
  /** Called after each transaction of any agent. */
  readonly onDone: () => void;
}

export interface ContestResult {
  readonly entrant: Entrant;
  readonly totals: Totals;
  readonly outcome: Outcome;
}

let contests = 0;

/** One run of one entrant, in a place of its own. Leaves no process behind, however it ends. */
export function runContest(options: ContestOptions): Promise<ContestResult> {
  return withProcesses("the run", options.signal, (processes) => perform(options, processes));
}

async function perform(options: ContestOptions, processes: Processes): Promise<ContestResult> {
  const { entrant, sizes, onDone } = options;
  const arena = await raise(options, processes);
  try {
    // The sequencers are to stay for what is asked afterwards; the agents are not.
    const agents = new Processes();
    const jobs = jobsOf(arena, entrant, sizes);
    const crew = await Promise.race([
      sizes.processes ? crewOfProcesses(jobs, agents) : crewInProcess(jobs),
      agents.failure,
    ]);
    const stop = new AbortController();
    try {
      const accompanied = arena.accompany(stop.signal);
      const reports = await Promise.race([crew.go(onDone), agents.failure]);
      stop.abort();
      await accompanied;
      const totals = totalsOf(reports);
      await crew.end();
      return { entrant, totals, outcome: await arena.outcome(totals) };
    } finally {
      stop.abort();
      await agents.end();
    }
  } finally {
    await arena.close();
  }
}

function jobsOf(arena: Arena, entrant: Entrant, { agents, transactions, keys, seed, processes }: Sizes): Job[] {
  return deal(seed, agents, transactions, keys).map((dealt, index) => {
    const agent = `agent-${index + 1}`;
    const target = arena.target(processes ? agent : "agents");
    const isDecision = target.system === "seriatim" && target.workload === "decisions";
    const tasks = isDecision ? [...dealt.keys()] : dealt;
    return { agent, target, settings: settingsOf(entrant), tasks };
  });
}

function settingsOf(entrant: Entrant): Settings {
  if (entrant.system === "seriatim") return entrant.settings;
  return { isolation: "none", think: entrant.think, signal: false, memo: false };
}

async function raise(options: ContestOptions, processes: Processes): Promise<Arena> {
  const { entrant, sizes, place, folder, postgres, budgetInterval } = options;
  const name = `contest-${(contests += 1)}`;
  switch (entrant.system) {
    case "seriatim": {
      const stage = await setStage(place, name, folder, processes);
      return budgetInterval === undefined ? counterArena(stage, sizes.keys) : budgetArena(stage, budgetInterval);
    }
    case "sqlite":
      return sqliteArena(entrant, folder.file(`${name}.db`), sizes.keys);
    case "postgres":
      if (postgres === undefined) throw new Error("no PostgreSQL was started");
      return postgresArena(entrant, postgres, sizes.keys, () => postgres.isRunning);
  }
}
