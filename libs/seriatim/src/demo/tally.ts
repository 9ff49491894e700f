import type { Claim } from "./judge.ts";
import type { Counts, RunReport } from "./messages.ts";

/** What the agents have told so far. */
export class Tally {
  readonly reports: RunReport[] = [];
  readonly #counts = new Map<string, Counts>();

  add(report: RunReport, counts: Counts): void {
    this.reports.push(report);
    this.#counts.set(report.agent, counts);
  }

  /** Runs that committed, those included that decided to write nothing. */
  get commits(): number {
    return this.reports.filter(({ answer }) => answer !== undefined).length;
  }

  /** Runs whose last attempt was refused. */
  get givenUp(): number {
    return this.reports.length - this.commits;
  }

  /** Verdicts that refused. */
  get refusals(): number {
    return this.#sum((counts) => counts.refusals);
  }

  /** Attempts after a refusal. */
  get retries(): number {
    return this.#sum((counts) => counts.retries);
  }

  get claims(): Claim[] {
    return this.reports.flatMap(({ agent, wish: { run }, answer, version }) =>
      answer?.outcome === "granted" && version !== undefined
        ? [{ agent, run, key: answer.key, value: answer.value, version }]
        : [],
    );
  }

  #sum(of: (counts: Counts) => number): number {
    return [...this.#counts.values()].reduce((sum, counts) => sum + of(counts), 0);
  }
}
