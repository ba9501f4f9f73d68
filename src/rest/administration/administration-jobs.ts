/**
 * Jobs of a tenant: a reindex, the import of a package (packages.ts), and exports and imports of its clients. Deleting a job
 * cancels one that has not ended, and forgets one that has (docs/run/operations.md).
 */
import type { FastifyRequest } from 'fastify';
import {
  ANONYMOUS_CALLER,
  type AdministrationJob,
  type Core,
  type JobBeginner,
  type NewAdministrationJob,
} from '../../core';
import type { AddressBook } from '../responses/address';
import type { JobAnswer } from './job-schemas';
import type { Mount } from './mounts';
import type { JOB_ROUTES } from './routes';
import { found, toInstant, type AdministrationCall, type HandlersOf } from './serve-routes';

export interface JobOptions {
  readonly core: Core;
  readonly addresses: AddressBook;
  readonly mount: Mount;
}

export function jobHandlers(options: JobOptions): HandlersOf<typeof JOB_ROUTES> {
  const { administration: jobs } = options.core.jobs;
  return {
    reindexTenant: async (call) => {
      const { release } = call.body;
      return begin(options, call, { kind: 'reindex', request: release === undefined ? {} : { release } });
    },
    listJobs: async ({ params: { tenant } }) => {
      const list = await jobs.list(tenant);
      return { status: 200, answer: { jobs: list.map(toAnswer) } };
    },
    getJob: async ({ params: { tenant, job } }) => {
      return { status: 200, answer: toAnswer(found(await jobs.find(tenant, job))) };
    },
    deleteJob: async ({ params: { tenant, job } }) => {
      const cancelled = found(await jobs.cancel(tenant, job));
      if (cancelled === 'removed') return { status: 200, answer: { removed: job } };
      return { status: cancelled.isBeingCancelled ? 202 : 200, answer: toAnswer(cancelled) };
    },
  };
}

/** Queues a job; the response is 202 with its address. Throws `unknownTenant`, `tenantBusy`, `jobUnderWay`. */
export async function begin(
  { core, addresses, mount }: JobOptions,
  { params: { tenant }, request, reply, tenantAddress }: AdministrationCall,
  job: NewAdministrationJob,
): Promise<{ readonly status: 202; readonly answer: JobAnswer }> {
  const by = mount.name === 'operator' ? undefined : beginnerOf(request);
  const queued = await core.jobs.administration.submit(tenant, { ...job, by });
  reply.header('location', `${addresses.base(request)}${tenantAddress}/jobs/${queued.id}`);
  return { status: 202, answer: toAnswer(queued) };
}

/** The caller as the one who has begun a job of its own tenant. */
export function beginnerOf({ logEntry: { caller = ANONYMOUS_CALLER }, ip, id }: FastifyRequest): JobBeginner {
  const { actor: client, access } = caller;
  return { client, person: access?.user ?? access?.account, address: ip, requestId: id };
}

function toAnswer({ isBeingCancelled, created, started, ended, ...job }: AdministrationJob): JobAnswer {
  const { id, kind, state, request, by, progress, result, failure } = job;
  return {
    ...{ id, kind, state, cancelling: isBeingCancelled, request, progress, result, failure },
    created: toInstant(created),
    ...(by === undefined ? {} : { by: { client: by.client, person: by.person } }),
    ...(started === undefined ? {} : { started: toInstant(started) }),
    ...(ended === undefined ? {} : { ended: toInstant(ended) }),
  };
}
