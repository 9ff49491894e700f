import type { Thought } from "./thinking.ts";

/** What became of one transaction of an agent. */
export interface Done {
  readonly isCommitted: boolean;
  /** How often it was tried. */
  readonly attempts: number;
}

/** One agent's way to carry out its transactions, on whatever system stands behind it. */
export interface Contender {
  /** @param task the number of the counter to add one to, or of the decision to take. */
  perform(task: number): Promise<Done>;
  readonly spent: Thought;
  close(): Promise<void>;
}

/** What one agent has done. Times in ms since 1970. */
export interface AgentReport extends Thought {
  readonly agent: string;
  readonly began: number;
  readonly ended: number;
  readonly commits: number;
  /** Transactions whose last attempt was refused. */
  readonly givenUp: number;
  readonly attempts: number;
  /** How long each transaction took that committed, in ms. */
  readonly latencies: readonly number[];
}

/** Carries out one transaction after another. */
export async function contend(
  agent: string,
  contender: Contender,
  tasks: readonly number[],
  onDone: () => void,
): Promise<AgentReport> {
  const began = now();
  const before = contender.spent;
  const latencies: number[] = [];
  let attempts = 0;
  for (const task of tasks) {
    const from = performance.now();
    const done = await contender.perform(task);
    attempts += done.attempts;
    if (done.isCommitted) latencies.push(performance.now() - from);
    onDone();
  }
  const { thought, wasted } = contender.spent;
  return {
    agent,
    began,
    ended: now(),
    commits: latencies.length,
    givenUp: tasks.length - latencies.length,
    attempts,
    latencies,
    thought: thought - before.thought,
    wasted: wasted - before.wasted,
  };
}

/** Comparable between processes. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
