/** How a worker stands. */
export interface WorkerStatus {
  readonly name: string;
  /** Attempts under way. */
  readonly calls: number;
  /** How many effects are still to be done, by handler. */
  readonly open: ReadonlyMap<string, number>;
}
