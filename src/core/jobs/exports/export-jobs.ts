/** Exports of bulk data: jobs of one kind (docs/use/bulk-data.md). */
import { randomBytes } from 'node:crypto';
import type { ExportedFile, ExportKickOff, ExportState } from '../../api/bulk-export';
import type { CoreAccess } from '../../api/core';
import { permissionsOf } from '../../authorization/visibility';
import { isBusy } from '../../concurrency/while-busy';
import { EMPTY_REQUEST_STATE, type Access, type Log, type RequestContext } from '../../context';
import { FhirError, fhirError, toIssue } from '../../errors';
import type { JsonObject } from '../../fhir/json';
import { GROUP, PATIENT } from '../../fhir/type-names';
import type { RateLimiter } from '../../limits/rate-limiter';
import type { Rate } from '../../memory/rate';
import { toOutcome } from '../../outcome';
import type { Services } from '../../ports';
import { addBulkJob } from '../../storage/jobs/bulk-jobs';
import { cancelJob, findJob, readAnswer, type StoredJob } from '../../storage/jobs/jobs';
import { removeAbandonedMembers } from '../../storage/jobs/export-cleanup';
import type { JobEnd, TakenJob } from '../../storage/jobs/job-work';
import { read, find } from '../../versions/read';
import type { JobOutcome, JobRun, JobRunner } from '../job-runner';
import { manifestOf, openFile, type FinishedExport, type LeftByFile } from './export-files';
import { parseExport, type ExportRequest } from './export-request';
import { exportedTypes, requireValidFilters } from './export-types';
import { FirstPass, patientsOf, toProgress, type ExportResult } from './first-pass';

export interface ExportLimits {
  /** Exports of one tenant, and of one client, that have not ended. */
  readonly maxExports: number;
  readonly maxExportsOfClient: number;
  /** Milliseconds for which a finished export is kept. */
  readonly exportExpiryMs: number;
  /** Lines and bytes of one file. */
  readonly exportFileLines: number;
  readonly exportFileBytes: number;
}

export interface ExportJobsOptions {
  readonly runner: JobRunner;
  readonly services: Services;
  readonly rates: Pick<RateLimiter, 'take'>;
  readonly limits: ExportLimits;
  readonly log: Log;
  findSpace: CoreAccess['findSpace'];
  renewCaller: CoreAccess['renewCaller'];
}

const EXPORT = 'export';
const KINDS: readonly string[] = [EXPORT];
const JOB_ID = /^[0-9a-f]{32}$/;
/** Looks at the state of one export: further ones are refused. */
const POLLS: readonly Rate[] = [{ quota: 60, windowMs: 60_000 }];
/** Milliseconds between two checks of the client's access while an export is made. */
const ACCESS_CHECK_MS = 5_000;
/** An export may take this long. */
const LONGEST_MS = 7 * 86_400_000;
/** Pause before an export that a busy database has interrupted goes on. */
const BUSY_PAUSE_MS = 5_000;
/** Batches of members that a round of work removes, so that heartbeats come in time. */
const MOST_BATCHES = 50;

interface StoredRequest {
  readonly export: ExportRequest;
  /** The caller as JSON, and who it is. */
  readonly caller: string;
  readonly owner: string;
  readonly hasSeparateStatus: boolean;
  readonly release: 'r4' | 'r4b';
  readonly requestId: string;
  readonly address: string | undefined;
}

export class ExportJobs {
  constructor(private readonly options: ExportJobsOptions) {}

  /** Queues an export and returns its id. */
  async kickOff(context: RequestContext, kickOff: ExportKickOff): Promise<string> {
    const { runner, services, limits } = this.options;
    const permissions = permissionsOf(services, context);
    permissions?.requireOperation(EXPORT);
    if (kickOff.level === 'group') await read(services, context, GROUP, kickOff.group ?? '');
    const request = parseExport(services.definitions(context.space.release), kickOff, services.limits);
    exportedTypes(services, context, request);
    requireValidFilters(services, context, request);
    await this.#requirePatients(context, request);
    const id = randomBytes(16).toString('hex');
    const { actor, access, requestId, address } = context;
    const stored: StoredRequest = {
      ...{ export: request, owner: ownerOf(context), release: context.space.release, requestId, address },
      hasSeparateStatus: kickOff.hasSeparateStatus,
      caller: JSON.stringify({ actor, ...(access === undefined ? {} : { access }) }),
    };
    const added = await addBulkJob(services.connections, context.space.number, {
      ...{ id, kind: EXPORT, client: actor, request: stored },
      mostOfTenant: limits.maxExports,
      mostOfClient: limits.maxExportsOfClient,
    });
    if (added === 'tenant') throw fhirError('tooManyExports', { whose: 'tenant', limit: limits.maxExports });
    if (added === 'client')
      throw fhirError('tooManyExports', { whose: 'client', limit: limits.maxExportsOfClient });
    runner.added();
    return id;
  }

  /** Returns the state of an export of the caller; undefined: there is none. Throws tooManyRequests for too many polls. */
  async status(context: RequestContext, id: string): Promise<ExportState | undefined> {
    const { services, rates } = this.options;
    const job = await this.#find(context, id);
    if (job === undefined) return undefined;
    const counted = { tenant: context.space.tenantNumber, kind: 'export', name: id, rates: POLLS };
    const admission = await rates.take([counted]);
    if (!admission.isAdmitted)
      throw fhirError('tooManyRequests', {
        reason: 'The state of this export is asked for too often: wait as Retry-After says',
      }).after(admission.retryAfterSeconds);
    const { state, expires = 0 } = job;
    const hasSeparateStatus = job.request['hasSeparateStatus'] === true;
    if (state === 'queued') return { state: 'waiting', hasSeparateStatus, progress: 'waiting' };
    if (state === 'running') return { state, hasSeparateStatus, progress: progressText(job) };
    const finished = this.#finished(context, job);
    if (finished !== undefined)
      return {
        ...{ state: 'done', hasSeparateStatus, expires },
        manifest: manifestOf(finished, services.definitions(context.space.release), services.extensionBase),
      };
    const body = await readAnswer(services.database, { space: context.space.number, id });
    const outcome = toOutcome([toIssue('internal', { requestId: context.requestId })]);
    return {
      ...{ state: 'failed', hasSeparateStatus, expires, status: job.status ?? 500 },
      body: body?.toString('utf8') ?? outcome,
    };
  }

  /** Stops an export if it runs, and removes it. False: there is none of the caller. */
  async cancel(context: RequestContext, id: string): Promise<boolean> {
    const { runner, services } = this.options;
    if ((await this.#find(context, id)) === undefined) return false;
    const key = { space: context.space.number, id };
    if ((await cancelJob(services.database, key, KINDS, true)) === undefined) return false;
    runner.cancel(id);
    // Its members are removed by a round of work.
    runner.wake();
    return true;
  }

  /** Opens a file of a finished export of the caller; undefined: there is none. Throws forbidden. */
  async file(context: RequestContext, id: string, name: string): Promise<ExportedFile | undefined> {
    const job = await this.#find(context, id);
    const finished = job && this.#finished(context, job);
    return finished && openFile(this.options.services, context, finished, name);
  }

  /** Makes exports in this process. */
  serve(): void {
    const { runner, limits, log } = this.options;
    runner.serve({
      name: EXPORT,
      concurrency: 2,
      concurrencyOfTenant: 1,
      keptMs: limits.exportExpiryMs,
      interrupted: failed(fhirError('storageUnavailable')),
      execute: (run) => this.#execute(run),
      onError: (error, job) => outcomeOfError(error, job, log),
      async enqueue(session) {
        if (await removeAbandonedMembers(session, MOST_BATCHES)) runner.wake();
      },
    });
  }

  async #find(context: RequestContext, id: string): Promise<StoredJob | undefined> {
    const key = { space: context.space.number, id };
    const job = JOB_ID.test(id) ? await findJob(this.options.services.database, key, KINDS) : undefined;
    return job?.request['owner'] === ownerOf(context) ? job : undefined;
  }

  #finished(context: RequestContext, job: StoredJob): FinishedExport | undefined {
    if (job.state !== 'done' || job.result === undefined) return undefined;
    const { left = {} } = (job.progress ?? {}) as { readonly left?: LeftByFile };
    return {
      job: { space: context.space.number, id: job.id },
      request: (job.request as unknown as StoredRequest).export,
      result: job.result as ExportResult,
      left,
    };
  }

  /** Throws `operationInputInvalid` for a Patient that does not exist, or is no member of the Group. */
  async #requirePatients(context: RequestContext, request: ExportRequest): Promise<void> {
    const { services } = this.options;
    const { patients } = request;
    if (patients === undefined) return;
    const allowed = await patientsOf(services, context, request);
    const members = new Set(allowed);
    const missing = patients.find((id) => !members.has(id));
    if (missing !== undefined)
      throw fhirError('operationInputInvalid', { reason: `Patient/${missing} is not a member of the Group` });
    const found = await Promise.all(patients.map((id) => find(services, context, PATIENT, id)));
    const absent = patients.find((_id, index) => found[index] === undefined);
    if (absent !== undefined)
      throw fhirError('operationInputInvalid', { reason: `Patient/${absent} does not exist` });
  }

  async #execute(run: JobRun): Promise<JobEnd> {
    const { services, limits, log, findSpace, renewCaller } = this.options;
    const stored = run.request as unknown as StoredRequest;
    const caller = JSON.parse(stored.caller) as { readonly actor: string; readonly access?: Access };
    const space = await findSpace(run.tenant, stored.release);
    if (space === undefined) throw fhirError('unauthorized', { reason: 'The tenant is not active' });
    const revoked = new AbortController();
    const renewed = await renewCaller(space, caller);
    const check = setInterval(() => {
      renewCaller(space, caller).catch((error: unknown) => {
        if (error instanceof FhirError && [401, 403].includes(error.status)) revoked.abort(error);
      });
    }, ACCESS_CHECK_MS).unref();
    const context: RequestContext = {
      ...EMPTY_REQUEST_STATE,
      ...{ space, actor: renewed.actor, log, isJob: true, requestId: stored.requestId },
      ...(renewed.access === undefined ? {} : { access: renewed.access }),
      ...(stored.address === undefined ? {} : { address: stored.address }),
      deadline: Date.now() + LONGEST_MS,
    };
    try {
      const result = await FirstPass.run({
        ...{ services, context, request: stored.export, earlier: toProgress(run.progress) },
        job: { space: run.space, id: run.id },
        fileSize: { lines: limits.exportFileLines, bytes: limits.exportFileBytes },
        signal: AbortSignal.any([run.signal, revoked.signal]),
        report: (progress) => run.report(progress as unknown as JsonObject),
      });
      return { state: 'done', result };
    } finally {
      clearInterval(check);
    }
  }
}

/** The owner of an export: the client, the person, and the patient in context. */
function ownerOf({ actor, access }: Pick<RequestContext, 'actor' | 'access'>): string {
  return JSON.stringify([actor, access?.user ?? null, access?.patient ?? null]);
}

function progressText({ progress }: StoredJob): string {
  const {
    done = [],
    types,
    found = 0,
  } = (progress ?? {}) as Partial<{
    readonly done: readonly number[];
    readonly types: number;
    readonly found: number;
  }>;
  return types === undefined ? 'begun' : `${done.length} of ${types} types, ${found} resources`;
}

function failed(error: FhirError): JobEnd {
  return { state: 'failed', failure: error.message, status: error.status, answer: toOutcome(error.issues) };
}

function outcomeOfError(error: unknown, { id }: TakenJob, log: Log): JobOutcome {
  if (isBusy(error)) return { isCounted: true, delayMs: BUSY_PAUSE_MS };
  if (error instanceof FhirError) return failed(error);
  const reason = error instanceof Error ? error.message : String(error);
  log.error({ reason, job: id }, 'an export failed');
  return failed(fhirError('internal', { requestId: id }));
}
