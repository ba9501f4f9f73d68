/**
 * Jobs of administration, for administrators only (administrator.ts), below /w/system/api/v1/tenants/{tenant}: `reindex`
 * (POST) and `packages` (packages.ts) begin one; `jobs` (GET) and `jobs/{id}` (GET, DELETE) tell of them. DELETE cancels a job
 * that has not ended, and forgets one that has (docs/run/operations.md).
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import {
  fhirError,
  type AdministrationJob,
  type Core,
  type JsonObject,
  type NewAdministrationJob,
} from '../../core';
import type { AddressBook } from '../responses/address';
import {
  addAdministration,
  ADMINISTRATION,
  found,
  readMembers,
  readRelease,
  toInstant,
  type AdministrationRequest,
} from './administration';
import { sendJson } from '../responses/send-json';

export interface JobRoutesOptions {
  readonly core: Core;
  readonly addresses: AddressBook;
}

/** Registers the routes in `scope`, which only administrators reach. */
export function registerJobRoutes(scope: FastifyInstance, options: JobRoutesOptions): void {
  const { administrationJobs: jobs } = options.core;
  addAdministration(scope, '/reindex', {
    POST: async (request, reply) => {
      const release = readRelease('release', readOptional(request)['release']);
      const asked: JsonObject = release === undefined ? {} : { release };
      return begin(options, { request, reply }, { kind: 'reindex', request: asked });
    },
  });
  addAdministration(scope, '/jobs', {
    GET: async (request, reply) => {
      const list = await jobs.list(request.params.name);
      return sendJson(request, reply, { status: 200, answer: { jobs: list.map(toAnswer) } });
    },
  });
  addAdministration(scope, '/jobs/:job', {
    GET: async (request, reply) => {
      const { name, job } = request.params;
      return sendJson(request, reply, { status: 200, answer: toAnswer(found(await jobs.find(name, job))) });
    },
    DELETE: async (request, reply) => {
      const { name, job } = request.params;
      const cancelled = await jobs.cancel(name, job);
      if (cancelled === undefined) throw fhirError('noSuchAddress');
      const isForgotten = cancelled === 'removed';
      return sendJson(request, reply, {
        status: isForgotten || !cancelled.isBeingCancelled ? 200 : 202,
        answer: isForgotten ? { removed: job } : toAnswer(cancelled),
      });
    },
  });
}

/** Queues a job; the response is 202 with its address. Throws `unknownTenant`, `tenantBusy`, `jobUnderWay`. */
export async function begin(
  { core, addresses }: JobRoutesOptions,
  { request, reply }: { readonly request: AdministrationRequest; readonly reply: FastifyReply },
  job: NewAdministrationJob,
): Promise<FastifyReply> {
  const { name } = request.params;
  const queued = await core.administrationJobs.submit(name, job);
  reply.header('location', `${addresses.base(request)}${ADMINISTRATION}/tenants/${name}/jobs/${queued.id}`);
  return sendJson(request, reply, { status: 202, answer: toAnswer(queued) });
}

function readOptional(request: AdministrationRequest): ReturnType<typeof readMembers> {
  return request.body === undefined || request.body === '' ? {} : readMembers(request, ['release']);
}

function toAnswer({ isBeingCancelled, created, started, ended, ...job }: AdministrationJob): object {
  const { id, kind, state, request, progress, result, failure } = job;
  return {
    ...{ id, kind, state, cancelling: isBeingCancelled, request, progress, result, failure },
    created: toInstant(created),
    ...(started === undefined ? {} : { started: toInstant(started) }),
    ...(ended === undefined ? {} : { ended: toInstant(ended) }),
  };
}
