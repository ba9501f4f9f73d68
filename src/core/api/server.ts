/** The whole server, for its operator: all processes, PostgreSQL, Redis and what waits. Times are milliseconds since 1970. */
import type { ConnectionUsage } from './process';
import type { Release } from '../fhir/release';
import type { DatabaseState, LatePart, OpenJob, QueueState } from '../storage/schema/server-facts';

export type { DatabaseState, OpenJob, QueueState };

/** Searches of one shape: a type with names of parameters, without values. */
export interface SlowSearch {
  readonly tenant: string;
  readonly release: Release;
  /** `Patient?name:exact&_sort`; in a GraphQL document, together with the searches beside it. */
  readonly shape: string;
  /** How many were slow. */
  readonly count: number;
  readonly slowestMs: number;
  readonly averageMs: number;
  readonly last: number;
}

/** Requests of a tenant that a limit or an overload has refused. */
export interface ReachedLimit {
  /** Undefined: the request names no tenant that exists. */
  readonly tenant: string | undefined;
  /** A key of the error catalogue (docs/reference/errors.md). */
  readonly error: string;
  readonly status: number;
  readonly count: number;
  readonly last: number;
}

/** What a process says of itself. */
export interface ProcessReport {
  readonly version: string;
  readonly node: string;
  readonly host: string;
  readonly pid: number;
  /** The port on which it listens. */
  readonly port: number;
  readonly started: number;
  /** Bytes; `limit` is that of the heap. */
  readonly memory: { readonly resident: number; readonly heap: number; readonly limit: number };
  /** Requests under way. */
  readonly requests: number;
  /** Connections to PostgreSQL by purpose. */
  readonly connections: Readonly<Record<string, ConnectionUsage>>;
  readonly isRedisReachable: boolean;
  /** Subscriptions for which it works, and those of them that fail. */
  readonly subscriptions: number;
  readonly failingSubscriptions: number;
  readonly liveQueries: number;
  readonly searches: readonly SlowSearch[];
  readonly limits: readonly ReachedLimit[];
}

export interface ServerProcess {
  /** True: the process that answers. */
  readonly isThis: boolean;
  /** When it was last known to run. */
  readonly beat: number;
  /** Undefined: it says nothing, because Redis is away or because it is of an earlier version. */
  readonly report: ProcessReport | undefined;
}

export interface RedisState {
  readonly version: string;
  /** Bytes; `limit` 0: none. */
  readonly bytes: number;
  readonly limit: number;
  readonly evictionPolicy: string;
  readonly keys: number;
  readonly clients: number;
  readonly waiting: number;
}

/** A part is undefined while it cannot be read. */
export interface ServerState {
  readonly read: number;
  readonly processes: readonly ServerProcess[];
  readonly database: DatabaseState | undefined;
  readonly redis: RedisState | undefined;
  readonly queues: QueueState | undefined;
  /** The parts that PostgreSQL did not answer in time. */
  readonly late: readonly LatePart[];
}
