/**
 * Imports of NDJSON (docs/use/import.md): jobs of clients, each of which works through its files line by line; and of code systems
 * (docs/use/import-terminology.md), jobs of the same kind.
 */
import { randomBytes } from 'node:crypto';
import type { Imports, ImportState, LocalImport, NewImport } from '../api/imports';
import type { CodeSystemReader } from '../api/terminology';
import { OPERATOR_ACTOR } from '../audit/audit-trail';
import { permissionsOf } from '../authorization/visibility';
import { EMPTY_REQUEST_STATE, type RequestContext, type TenantSpace } from '../context';
import { FhirError, fhirError } from '../errors';
import { isJsonObject, type JsonObject } from '../fhir/json';
import { mayNotify } from '../limits/notification-hosts';
import { toOutcome } from '../outcome';
import type { Services } from '../ports';
import { addBulkJob } from '../storage/jobs/bulk-jobs';
import { addFiles, readErrors, readFiles, requireImportSpace } from '../storage/jobs/import-files';
import type { JobEnd, TakenJob } from '../storage/jobs/job-work';
import { cancelJob, findJob, listJobs, readAnswer, type StoredJob } from '../storage/jobs/jobs';
import { importTotals } from './bulk-jobs';
import type { CodeSystemImportTools } from './code-system-import';
import { FileTaken, receiveBytes } from './import/receive-files';
import { requireCodeSystemRights, runCodeSystemImport } from './import/run-code-system';
import { runImport, type ImportTools } from './import/run-import';
import { readSource } from './import/source';
import {
  describeLocalRequest,
  describeRequest,
  filesOf,
  ownerOf,
  readRequest,
  textOf,
} from './import/stored-request';
import { isServerBusy } from './import/write-lines';
import type { JobOutcome, JobRun, JobRunner } from './job-runner';

export interface ImportsOptions extends ImportTools {
  readonly runner: JobRunner;
  readonly services: ImportTools['services'] & Services;
  readonly codeSystems: CodeSystemImportTools;
}

const IMPORT = 'import';
const MOST_FILES = 1_000;
/** Open imports. */
const MOST_OF_TENANT = 4;
const MOST_OF_CLIENT = 2;
/** Concurrent imports in one process. */
const MAX_RUNNING = 2;
/** Ends of the process without progress of the import in between. */
const MAX_RUNS = 10;
const KEPT_MS = 7 * 86_400_000;
/** Milliseconds until an import begins again that a busy server has interrupted, or whose files are not all there. */
const LATER_MS = 2_000;
const JOB_ID = /^[0-9a-f]{32}$/;
const INTERRUPTED: JobEnd = failureOf(
  fhirError('internal', { requestId: 'of the import: its processes have stopped in each attempt' }),
);

export class ImportJobs implements Imports {
  #reader: CodeSystemReader | undefined;

  constructor(private readonly options: ImportsOptions) {
    options.runner.serve({
      name: IMPORT,
      concurrency: MAX_RUNNING,
      concurrencyOfTenant: 1,
      keptMs: KEPT_MS,
      interrupted: INTERRUPTED,
      execute: (run) => this.#execute(run),
      onError: (error, job) => this.#outcomeOf(error, job),
    });
  }

  serve(reader: CodeSystemReader): void {
    this.#reader = reader;
  }

  async submit(context: RequestContext, given: NewImport): Promise<string> {
    if (given.codeSystem === undefined) this.#requireAllowed(context, given);
    else requireCodeSystemRights(this.options.services, context);
    this.#requireFiles(context, given);
    if (given.codeSystem !== undefined) this.#reader?.check(given.codeSystem);
    const { content } = given;
    const { connections } = this.options.services;
    if (content !== undefined) await requireImportSpace(connections, context.space.number, content.length);
    const request = describeRequest(context, { ...given, source: readSource(given.source) });
    const id = await this.#add(context.space, { request, content, client: context.actor });
    this.options.runner.added();
    return id;
  }

  async find(context: RequestContext, id: string): Promise<ImportState | undefined> {
    const job = await this.#findOwn(context, id);
    if (job === undefined) return undefined;
    const { connections } = this.options.services;
    const key = { space: context.space.number, id };
    const { state, status = 500, request, created, ended, expires } = job;
    const ofCodeSystem = isJsonObject(request['codeSystem']);
    const hasAnswer = state === 'failed' || (ofCodeSystem && state === 'done');
    const answer = hasAnswer ? await readAnswer(connections, key) : undefined;
    const outcome = state === 'failed' ? answer : undefined;
    const sources = filesOf(request);
    const files = await readFiles(connections, key);
    return {
      ...{ id, state, created, ended, expires, request: textOf(request['request']) ?? '' },
      failure: outcome && { status, outcome },
      ...(ofCodeSystem ? { codeSystem: { ...conceptsOf(job), answer } } : {}),
      files: files.map(({ file, name, isReceived, lines, written, failed, failure }) => ({
        ...{ file, name, isReceived, lines, written, type: sources[file]?.type, url: sources[file]?.url },
        failed: failed + (failure === undefined ? 0 : 1),
      })),
    };
  }

  async errors(
    context: RequestContext,
    id: string,
    file: number,
  ): Promise<AsyncIterable<string> | undefined> {
    if ((await this.#findOwn(context, id)) === undefined) return undefined;
    const { connections } = this.options.services;
    const key = { space: context.space.number, id };
    const found = (await readFiles(connections, key)).find((each) => each.file === file);
    return found && errorsOf(found.failure, readErrors(connections, key, file));
  }

  async cancel(context: RequestContext, id: string): Promise<boolean> {
    if ((await this.#findOwn(context, id)) === undefined) return false;
    const { runner, services } = this.options;
    const key = { space: context.space.number, id };
    if ((await cancelJob(services.connections, key, [IMPORT], true)) === undefined) return false;
    runner.cancel(id);
    return true;
  }

  readonly local: Imports['local'] = {
    begin: (of) => this.#beginLocal(of),
    reported: (context, id) =>
      this.options.runner.note({ space: context.space.number, id }, { isReported: true }),
    work: () => this.options.runner.start([IMPORT]),
  };

  async #beginLocal({
    tenant,
    release,
    files,
    fingerprint,
    source,
    begun,
    stored,
  }: LocalImport): ReturnType<Imports['local']['begin']> {
    const { services, findSpace, longestLine, runner } = this.options;
    const { connections: database } = services;
    const space = await findSpace(tenant, release);
    if (space === undefined) throw fhirError('unknownTenant');
    const earlier = await this.#findUnreported(space, fingerprint);
    const names = files.map(({ name }) => name);
    const request = describeLocalRequest({ release, files, fingerprint, source: readSource(source) });
    const id = earlier ?? (await this.#add(space, { request, client: OPERATOR_ACTOR }));
    const job = { space: space.number, id };
    begun?.(id);
    await addFiles(database, job, names);
    const { signal } = new AbortController();
    for (const { file, name, isReceived } of await readFiles(database, job)) {
      const local = files[file];
      if (isReceived || local === undefined) continue;
      const counted = async function* (): AsyncGenerator<Buffer, void> {
        let bytes = 0;
        for await (const piece of local.open()) {
          yield piece;
          stored?.(file, (bytes += piece.length));
        }
      };
      const of = { file, source: { name }, room: Infinity };
      await receiveBytes({ database, signal, longestLine }, job, of, counted()).catch(
        async (error: unknown) => {
          // Nothing can go on with it, unlike after other errors.
          if (error instanceof FhirError && error.key === 'quotaExceeded')
            await cancelJob(database, job, [IMPORT], true);
          throw error;
        },
      );
    }
    runner.added();
    return { context: operatorContext(space, this.options.log), id };
  }

  /** Returns the import of a command that has not ended, or whose result no command has shown. Cost: a statement, and one for each ended one. */
  async #findUnreported({ number }: TenantSpace, fingerprint: string): Promise<string | undefined> {
    const { connections } = this.options.services;
    const jobs = await listJobs(connections, number, [IMPORT], MOST_OF_TENANT * MOST_FILES);
    const ofCommand = jobs.filter(({ request }) => request['fingerprint'] === fingerprint);
    const open = ofCommand.find(({ state }) => state === 'queued' || state === 'running');
    if (open !== undefined) return open.id;
    for (const { id, request, progress } of ofCommand) {
      // Commands of earlier versions did not note that they had reported a result.
      if (request['notesReport'] !== true || progress !== undefined) continue;
      const files = await readFiles(connections, { space: number, id });
      // One that has ended before its files were stored has written nothing.
      if (files.length > 0 && files.every(({ isReceived }) => isReceived)) return id;
    }
    return undefined;
  }

  async #add(
    { number }: TenantSpace,
    of: { readonly request: object; readonly client: string; readonly content?: Buffer | undefined },
  ): Promise<string> {
    const id = randomBytes(16).toString('hex');
    const added = await addBulkJob(this.options.services.connections, number, {
      ...{ id, kind: IMPORT, mostRuns: MAX_RUNS, ...of },
      mostOfTenant: MOST_OF_TENANT,
      mostOfClient: MOST_OF_CLIENT,
    });
    if (added === 'tenant') throw fhirError('tooManyImports', { whose: 'tenant', limit: MOST_OF_TENANT });
    if (added === 'client') throw fhirError('tooManyImports', { whose: 'client', limit: MOST_OF_CLIENT });
    return id;
  }

  /** Throws forbidden and invalidValue. */
  #requireAllowed(context: RequestContext, { files }: NewImport): void {
    const { services } = this.options;
    const { space } = context;
    const types = services.definitions(space.release).resourceTypes;
    const permissions = permissionsOf(services, context);
    permissions?.requireOperation(IMPORT);
    const named = [...new Set(files.flatMap(({ type }) => (type === undefined ? [] : [type])))];
    const unknown = named.find((type) => !types.includes(type));
    if (unknown !== undefined)
      throw fhirError('invalidValue', {
        reason: `The type of a file must be a resource type of FHIR ${space.release}`,
      });
    for (const type of named) permissions?.requireOne(type, 'u', 'c');
    const writes = (type: string): boolean =>
      permissions === undefined || permissions.allows(type, 'c') || permissions.allows(type, 'u');
    if (!types.some(writes)) permissions?.requireOne('*', 'u', 'c');
  }

  /** Throws invalidValue. */
  #requireFiles({ space }: RequestContext, { files }: NewImport): void {
    const { outbound } = this.options;
    if (files.length === 0 || files.length > MOST_FILES)
      throw fhirError('invalidValue', { reason: `An import must have 1 to ${MOST_FILES} files` });
    for (const { url } of files) {
      if (url === undefined) continue;
      const fault =
        outbound.destinations.findFault(url) ??
        (mayNotify(space.settings.limits.notificationHosts, url)
          ? undefined
          : 'this tenant calls no such host (notification-hosts)');
      if (fault !== undefined)
        throw fhirError('invalidValue', {
          reason: `The server may not call the address of a file: ${fault}`,
        });
    }
  }

  /** Undefined: the caller has no such job. */
  async #findOwn(context: RequestContext, id: string): Promise<StoredJob | undefined> {
    const { connections } = this.options.services;
    const key = { space: context.space.number, id };
    const job = JOB_ID.test(id) ? await findJob(connections, key, [IMPORT]) : undefined;
    const isOperator = context.access === undefined && context.actor === OPERATOR_ACTOR;
    const isOwn =
      isOperator || context.access?.isAdministrator === true || job?.request['owner'] === ownerOf(context);
    return isOwn ? job : undefined;
  }

  async #execute(run: JobRun): Promise<JobEnd> {
    const { space, id, tenant, signal } = run;
    const request = readRequest(tenant, run.request);
    const { connections } = this.options.services;
    if (request.codeSystem !== undefined) {
      if (this.#reader === undefined) throw new FilesMissing();
      const report = (progress: JsonObject): void => run.report(progress);
      return runCodeSystemImport(this.options, { space, id, request, signal, report }, this.#reader);
    }
    if (await runImport(this.options, { space, id, request, signal })) {
      const files = await readFiles(connections, { space, id });
      return { state: 'done', result: importTotals(files) };
    }
    const job = await findJob(connections, { space, id }, [IMPORT]);
    if (job !== undefined && job.age > KEPT_MS)
      throw fhirError('ruleViolated', {
        reason: 'The command that began this import has not stored its files',
      });
    throw new FilesMissing();
  }

  #outcomeOf(error: unknown, { id }: TakenJob): JobOutcome {
    const isLater =
      error instanceof FilesMissing ||
      error instanceof FileTaken ||
      isServerBusy(error) ||
      isThrottled(error);
    if (isLater) return { isCounted: false, delayMs: LATER_MS };
    if (error instanceof FhirError) return failureOf(error);
    const reason = error instanceof Error ? error.message : String(error);
    this.options.log.error({ reason, job: id }, 'an import failed');
    return failureOf(fhirError('internal', { requestId: id }));
  }
}

/** The files of a command are not all there yet. */
class FilesMissing extends Error {}

/** The progress that `runCodeSystemImport` has reported. */
function conceptsOf({ progress }: StoredJob): { readonly read: number; readonly stored: number } {
  const { lines = 0, written = 0 } = (progress ?? {}) as {
    readonly lines?: number;
    readonly written?: number;
  };
  return { read: lines, stored: written };
}

/** Too many files were fetched within a minute. */
function isThrottled(error: unknown): boolean {
  return error instanceof FhirError && error.status === 429;
}

function failureOf(error: FhirError): JobEnd {
  return { state: 'failed', failure: error.message, status: error.status, answer: toOutcome(error.issues) };
}

async function* errorsOf(
  failure: string | undefined,
  lines: AsyncIterable<string>,
): AsyncGenerator<string, void> {
  if (failure !== undefined) yield failure;
  yield* lines;
}

function operatorContext(space: TenantSpace, log: ImportTools['log']): RequestContext {
  return {
    ...{ space, actor: OPERATOR_ACTOR, requestId: '', log },
    deadline: Infinity,
    ...EMPTY_REQUEST_STATE,
  };
}
