export interface FilePlace {
  readonly log: "sqlite";
  /** A temporary one unless given. */
  readonly file: string | undefined;
  /** The temporary file stays. */
  readonly keep: boolean;
  /** See `OpenOptions`. */
  readonly synchronous?: "full" | "normal";
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
