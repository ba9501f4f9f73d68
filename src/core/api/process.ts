/** The state of a process. */

export interface ConnectionUsage {
  readonly total: number;
  readonly idle: number;
  /** Statements that are waiting for a connection. */
  readonly waiting: number;
  /** Connections that may be open at once. */
  readonly limit: number;
}

export interface Readiness {
  readonly ready: boolean;
  /** Descriptions of degraded or missing services, for an operator. */
  readonly notices: readonly string[];
}
