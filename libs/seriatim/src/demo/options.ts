import type { Isolation } from "@seriatim/protocol";

export interface DemoOptions {
  readonly isolation: Isolation;
  readonly agents: number;
  /** Of all agents together. */
  readonly runs: number;
  readonly seed: number;
  /** How long an agent thinks between read and commit, in ms. */
  readonly think: number;
  readonly place: FilePlace | KafkaPlace;
}

export interface FilePlace {
  readonly log: "sqlite";
  /** A temporary one unless given. */
  readonly file: string | undefined;
  /** The temporary file stays. */
  readonly keep: boolean;
}

export interface KafkaPlace {
  readonly log: "kafka";
  readonly brokers: readonly string[];
  /** A new one under a random name unless given. */
  readonly space: string | undefined;
  readonly partitions: number;
  /** How many sequencer processes. */
  readonly sequencers: number;
}
