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

/** The state of one limit. */
export interface LimitState {
  /** Name of the limit, such as `client-second`. */
  readonly name: string;
  readonly quota: number;
  /** Undefined: a limit on concurrent requests. */
  readonly windowSeconds?: number;
  /** Approximate number of requests that could be admitted now. */
  readonly remaining: number;
  /** Seconds until the whole quota is available, without further requests. */
  readonly resetSeconds?: number;
}

export interface Admission {
  readonly isAdmitted: boolean;
  /** For refusals: seconds, at least 1, after which another request could be admitted. */
  readonly retryAfterSeconds: number;
  /** The current limits; for refusals, the exceeded one is the last. */
  limits(): readonly LimitState[];
  /**
   * For refusals: waits for the delay of the answer, because the client was refused often. Must be called once, after
   * all resources of the request are released.
   */
  readonly delay?: () => Promise<void>;
  /** Returns the tokens, because the request need not be counted. */
  giveBack(): void;
  /** Ends the request for limits on concurrency. May be called repeatedly. */
  leave(): void;
}
