import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sum, type Pace, type Tally } from "./workload.ts";

/** For so many seconds; or, before that, until each process has committed so often, as fast as it can. */
export type Begin = { readonly seconds: number } | { readonly commits: number };

export interface Done {
  readonly tallies: readonly Tally[];
  readonly role: "holds" | "follows" | "alone";
  readonly transactions: number;
  readonly records: number;
  /** Processor time of the process, in µs. */
  readonly processor: number;
}

export interface Outcome extends Pace {
  /** One a process. */
  readonly tallies: readonly Tally[];
  /** Records a transaction of the file, on average. */
  readonly batch: number;
}

const script = fileURLToPath(new URL("writer.js", import.meta.url));

/** How long until they have found together, in seconds, and how often each has then to commit until its code is compiled. */
const warmUp = { seconds: 1, commits: 4_000 };

/** Processes that have one space open, each with so many agents. */
export class Writers {
  readonly #children: readonly ChildProcess[];

  private constructor(children: readonly ChildProcess[]) {
    this.#children = children;
  }

  /** Warmed up: by the time that it is measured, one of several holds and the others follow. */
  static async start(file: string, processes: number, agents: number): Promise<Writers> {
    const children = Array.from({ length: processes }, () => fork(script, [file, String(agents)], { execArgv: [] }));
    await Promise.all(children.map((child) => once(child, "message")));
    const writers = new Writers(children);
    await writers.#ask({ seconds: warmUp.seconds });
    await writers.#ask({ commits: warmUp.commits });
    return writers;
  }

  async run(seconds: number): Promise<Outcome> {
    const done = await this.#ask({ seconds });
    const tallies = done.flatMap((each) => each.tallies);
    const commits = sum(tallies.map((tally) => tally.commits));
    return {
      tallies,
      perSecond: commits / seconds,
      processor: sum(done.map(({ processor }) => processor)) / commits,
      batch: sum(done.map(({ records }) => records)) / Math.max(1, sum(done.map(({ transactions }) => transactions))),
    };
  }

  async #ask(begin: Begin): Promise<readonly Done[]> {
    const answers = this.#children.map((child) => once(child, "message") as Promise<[Done]>);
    for (const child of this.#children) child.send(begin);
    return (await Promise.all(answers)).map(([each]) => each);
  }

  async end(): Promise<void> {
    const ended = this.#children.map((child) => once(child, "exit"));
    for (const child of this.#children) child.disconnect();
    await Promise.all(ended);
  }
}
