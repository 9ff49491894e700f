/** How much a gateway takes on. */
export interface GatewayLimits {
  /** Open transactions of one session. */
  readonly transactionsOfSession: number;
  /** Open transactions of all sessions together. */
  readonly transactions: number;
  /** How long a transaction may be open, in ms. */
  readonly transactionTime: number;
  /** HTTP sessions at once. */
  readonly sessions: number;
  /** How long, in ms, an HTTP client whose stream broke may take to come back before its transactions are abandoned. */
  readonly lostAfter: number;
}

export const defaultGatewayLimits: GatewayLimits = {
  transactionsOfSession: 100,
  transactions: 1_000,
  transactionTime: 15 * 60_000,
  sessions: 1_000,
  lostAfter: 60_000,
};
