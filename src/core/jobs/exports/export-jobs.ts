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
import { FirstPass, patientsOf, toProgress, type ExportProgress, type ExportResult } from './first-pass';
import { openStored, placeFiles, storeFiles, type ExportStore, type StoringOptions } from './stored-files';

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
  /** Where files are stored; undefined: downloads read the versions. */
  readonly store: ExportStore | undefined;
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
  /** The address of the FHIR root by which the client has begun the export; undefined: an earlier version has stored it. */
  readonly root?: string;
  /** The caller as JSON, and who it is. */
  readonly caller: string;
  readonly owner: string;
  readonly hasSeparateStatus: boolean;
  readonly release: 'r4' | 'r4b';
  readonly requestId: string;
  readonly address: string | undefined;
}

/** Progress of the first pass, and then of the files. */
interface ReportedProgress extends ExportProgress {
  readonly stored?: number;
  readonly files?: number;
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
      root: kickOff.root,
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
    if (finished !== undefined) {
      const placed = await placeFiles(services, context, finished, expires);
      const definitions = services.definitions(context.space.release);
      return {
        ...{ state: 'done', hasSeparateStatus, expires: placed?.validTo ?? expires },
        manifest: manifestOf(finished, definitions, services.extensionBase, placed?.places),
      };
    }
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
    // Its members are removed by a round of work, and its files by a sweep.
    runner.wake();
    services.contents.sweep();
    return true;
  }

  /** Opens a file of a finished export of the caller; undefined: there is none. Throws forbidden. */
  async file(context: RequestContext, id: string, name: string): Promise<ExportedFile | undefined> {
    const job = await this.#find(context, id);
    const finished = job && this.#finished(context, job);
    if (finished === undefined) return undefined;
    const { services } = this.options;
    return (
      (await openStored(services, context, finished, name)) ?? openFile(services, context, finished, name)
    );
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
    const { services, limits } = this.options;
    const stored = run.request as unknown as StoredRequest;
    const revoked = new AbortController();
    const contextNow = (): Promise<RequestContext> => this.#contextOf(run.tenant, stored);
    const context = await contextNow();
    const check = setInterval(() => {
      contextNow().catch((error: unknown) => {
        if (error instanceof FhirError && [401, 403].includes(error.status)) revoked.abort(error);
      });
    }, ACCESS_CHECK_MS).unref();
    const signal = AbortSignal.any([run.signal, revoked.signal]);
    let reached: ExportProgress | undefined;
    const report = (progress: ReportedProgress): void => {
      reached = progress;
      run.report(progress as unknown as JsonObject);
    };
    try {
      const result = await FirstPass.run({
        ...{ services, context, request: stored.export, earlier: toProgress(run.progress), signal, report },
        job: { space: run.space, id: run.id },
        fileSize: { lines: limits.exportFileLines, bytes: limits.exportFileBytes },
      });
      const isStored = await this.#store(run, result, {
        ...{ signal, contextNow },
        report: (stored, files) => {
          if (reached !== undefined) report({ ...reached, stored, files });
        },
      });
      return { state: 'done', result: { ...result, isStored } };
    } finally {
      clearInterval(check);
    }
  }

  /** Writes the files of an export to the store. False: there is none, or it does not have them. */
  #store(
    { space, id, request }: JobRun,
    result: ExportResult,
    work: Pick<StoringOptions, 'signal' | 'contextNow' | 'report'>,
  ): Promise<boolean> {
    const { services, store, log } = this.options;
    const { export: of, root } = request as unknown as StoredRequest;
    if (store === undefined || root === undefined) return Promise.resolve(false);
    const finished = { job: { space, id }, request: of, result, left: {} };
    return storeFiles({ services, finished, store, root, log, ...work });
  }

  /** The context of an export with the present rights of its client. Throws unauthorized, forbidden. */
  async #contextOf(
    tenant: string,
    { caller: text, release, requestId, address }: StoredRequest,
  ): Promise<RequestContext> {
    const { log, findSpace, renewCaller } = this.options;
    const caller = JSON.parse(text) as { readonly actor: string; readonly access?: Access };
    const space = await findSpace(tenant, release);
    if (space === undefined) throw fhirError('unauthorized', { reason: 'The tenant is not active' });
    const { actor, access } = await renewCaller(space, caller);
    return {
      ...EMPTY_REQUEST_STATE,
      ...{ space, actor, log, isJob: true, requestId },
      ...(access === undefined ? {} : { access }),
      ...(address === undefined ? {} : { address }),
      deadline: Date.now() + LONGEST_MS,
    };
  }
}

/** The owner of an export: the client, the person, and the patient in context. */
function ownerOf({ actor, access }: Pick<RequestContext, 'actor' | 'access'>): string {
  return JSON.stringify([actor, access?.user ?? null, access?.patient ?? null]);
}

function progressText({ progress }: StoredJob): string {
  const { done = [], types, found = 0, stored, files = 0 } = (progress ?? {}) as Partial<ReportedProgress>;
  if (stored !== undefined) return `${stored} of ${files} files stored, ${found} resources`;
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
