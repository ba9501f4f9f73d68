/** The whole server, for its operator: processes, PostgreSQL, Redis, queues, settings in force, jobs of all tenants. */
import type { Core, ProcessReport, ServerState } from '../../core';
import type { SettingInForce } from '../settings';
import type { SERVER_ROUTES } from './routes';
import type { Value } from './schema-kinds';
import { found, toInstant, type HandlersOf } from './serve-routes';
import type { Server } from './server-schemas';

type ServerAnswer = Value<typeof Server>;
type ReportAnswer = NonNullable<ServerAnswer['processes'][number]['report']>;

/** `settings`: those of this process. */
export function serverHandlers(
  { health, jobs }: Core,
  settings: readonly SettingInForce[],
): HandlersOf<typeof SERVER_ROUTES> {
  return {
    getServer: async () => ({ status: 200, answer: toAnswer(await health.server()) }),
    getSettingsInForce: async () => Promise.resolve({ status: 200, answer: { settings } }),
    listOpenJobs: async () => {
      const open = await jobs.open.list();
      const list = open.map(({ isBeingCancelled, created, started, ...job }) => ({
        ...{ ...job, cancelling: isBeingCancelled, created: toInstant(created) },
        ...(started === undefined ? {} : { started: toInstant(started) }),
      }));
      return { status: 200, answer: { jobs: list } };
    },
    stopJob: async ({ params: { job } }) => {
      found(await jobs.open.stop(job));
      return { status: 202, answer: { removed: job } };
    },
  };
}

function toAnswer({ read, processes, database, redis, queues, late }: ServerState): ServerAnswer {
  return {
    read: toInstant(read),
    processes: processes.map(({ isThis, beat, report }) => ({
      ...{ answers: isThis, beat: toInstant(beat) },
      ...(report === undefined ? {} : { report: toReport(report) }),
    })),
    ...(database === undefined ? {} : { database }),
    ...(redis === undefined ? {} : { redis }),
    ...(queues === undefined ? {} : { queues: toQueues(queues) }),
    late: [...late],
  };
}

function toReport({ started, isRedisReachable, searches, limits, ...report }: ProcessReport): ReportAnswer {
  return {
    ...report,
    started: toInstant(started),
    redis: isRedisReachable,
    searches: searches.map(({ last, ...search }) => ({ ...search, last: toInstant(last) })),
    limits: limits.map(({ tenant = null, last, ...limit }) => ({ ...limit, tenant, last: toInstant(last) })),
  };
}

function toQueues({ jobs, deliveries: { oldest, ...deliveries } }: NonNullable<ServerState['queues']>) {
  return {
    jobs: jobs.map((job) => ({ ...job, oldest: toInstant(job.oldest) })),
    deliveries: { ...deliveries, ...(oldest === undefined ? {} : { oldest: toInstant(oldest) }) },
  };
}
