import type { AgentReport, PostgresAddress, PostgresLevel, Settings, SqliteMode } from "@seriatim/workloads";
import type { Address } from "../staging/address.ts";

/** What an agent works on. */
export type Target =
  | { readonly system: "seriatim"; readonly address: Address; readonly workload: "counters" | "decisions" }
  | {
      readonly system: "sqlite";
      readonly file: string;
      readonly mode: SqliteMode;
      readonly synchronous: "full" | "normal";
    }
  | {
      readonly system: "postgres";
      readonly server: PostgresAddress;
      readonly level: PostgresLevel;
      readonly synchronous: "full" | "normal";
    };

/** What one agent is to do. It goes to child processes as JSON. */
export interface Job {
  readonly agent: string;
  readonly target: Target;
  readonly settings: Settings;
  /** The counters to add to, or the numbers of the decisions, in order. */
  readonly tasks: readonly number[];
}

/** What an agent process tells its parent. */
export type JobMessage =
  { readonly kind: "ready" } | { readonly kind: "done_one" } | { readonly kind: "done"; readonly report: AgentReport };
