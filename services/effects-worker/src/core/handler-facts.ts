/** What the core needs to know of a handler. */
export interface HandlerFacts {
  readonly idempotent: boolean;
  /** In ms. */
  readonly timeout: number;
  readonly attempts: number;
  /** In ms. */
  readonly backoff: number;
  readonly longestBackoff: number;
  readonly canReconcile: boolean;
  readonly voids: boolean;
}
