/** Strategies that record interactions; used by the table of interactions. */
import type { Invocation } from '../api/operation';
import { endingOf, lineOf, operationAddress } from './describe';
import type { RequestContext } from '../context';
import { FhirError } from '../errors';
import type { StoredVersion } from '../storage/read/stored-version';
import type { IdSource } from '../search/rows/resource-key';
import type { AccessLog } from './access-log';
import type { AccessTrail } from './access-trail';
import { settle, toRecord, withFound, type Described, type Ending } from './recording';

export interface RecordingTools {
  readonly log: AccessLog;
  readonly ids: IdSource;
  /** False: only writes and refusals are recorded. */
  readonly recordsReads: boolean;
}

/** Carries out an interaction. */
export type Run<Arguments extends readonly unknown[], Result> = (
  context: RequestContext,
  ...of: Arguments
) => Promise<Result>;

/** Carries out an interaction by `run` and records it. */
export type RecordedRun<Arguments extends readonly unknown[], Result> = (
  recorder: Recorder,
  run: Run<Arguments, Result>,
  context: RequestContext,
  ...of: Arguments
) => Promise<Result>;

/** Writes records of accesses. */
export class Recorder {
  readonly recordsReads: boolean;

  constructor(private readonly tools: RecordingTools) {
    this.recordsReads = tools.recordsReads;
  }

  /** Records an access. Undefined: the record was accepted at once. */
  note(context: RequestContext, described: Described, ending?: Ending): Promise<void> | undefined {
    const { log, ids } = this.tools;
    return log.note(context.space.number, toRecord(ids, context, described, ending));
  }

  async noteFailure(context: RequestContext, described: Described, error: unknown): Promise<void> {
    settle(error);
    const { cacheMark } = context;
    // A request that the cache cannot answer is started anew without it, and recorded then.
    if (cacheMark !== undefined) cacheMark.missed ??= 'unfit';
    else await this.note(context, described, endingOf(error));
  }

  /** Records the failure of an interaction that changes nothing. */
  async noteUnread(context: RequestContext, described: Described, error: unknown): Promise<void> {
    settle(error);
    if ((context.trail === undefined && this.recordsReads) || isRefusal(error))
      await this.noteFailure(context, described, error);
  }

  /** The context of a write, by which the statement that writes a version also writes its record. */
  writing(context: RequestContext, described: Described): RequestContext {
    const { ids } = this.tools;
    return {
      ...context,
      recording: {
        of: (type: string, id: string) => toRecord(ids, context, withFound(described, { type, id })),
      },
    };
  }
}

interface ReadRecording<Arguments extends readonly unknown[], Result> {
  describe(of: NoInfer<Arguments>): Described;
  /** The description with the result. */
  found(described: Described, result: Result, of: NoInfer<Arguments>): Described;
  /** Adds the result to the trail of a request. */
  leave(trail: AccessTrail, described: Described, result: Result, of: NoInfer<Arguments>): void;
}

/** An interaction that changes nothing: it is recorded when it has ended, or added to the trail of its request. */
export function reads<Arguments extends readonly unknown[], Result>({
  describe,
  found,
  leave,
}: ReadRecording<Arguments, Result>): RecordedRun<Arguments, Result> {
  return async (recorder, run, context, ...of) => {
    const described = describe(of);
    const { trail } = context;
    let result;
    try {
      result = await run(context, ...of);
    } catch (error) {
      await recorder.noteUnread(context, described, error);
      throw error;
    }
    if (trail !== undefined) leave(trail, described, result, of);
    else if (recorder.recordsReads) {
      const recorded = recorder.note(context, found(described, result, of));
      if (recorded !== undefined) await recorded;
    }
    return result;
  };
}

/** A read of one version. */
export function readsVersion<Arguments extends readonly unknown[]>(
  describe: (of: NoInfer<Arguments>) => Described,
): RecordedRun<Arguments, StoredVersion> {
  return reads({
    describe,
    found: ({ interaction }, { type, id, versionId: version }) => ({ interaction, type, id, version }),
    leave: (trail, _described, version) => trail.add(lineOf(version)),
  });
}

/** An operation: its failure is recorded although it may change nothing. The described request is its address. */
export function operates<Arguments extends readonly unknown[], Result>(
  invocationOf: (of: NoInfer<Arguments>) => Invocation,
): RecordedRun<Arguments, Result> {
  return async (recorder, run, context, ...of) => {
    const invocation = invocationOf(of);
    const { type, id, safe } = invocation;
    const query = operationAddress(invocation);
    const described = { interaction: 'operation', type, id, query };
    let result;
    try {
      result = await run(context, ...of);
    } catch (error) {
      await recorder.noteFailure(context, described, error);
      throw error;
    }
    if (context.trail !== undefined) context.trail.add(query);
    else if (recorder.recordsReads || !safe) await recorder.note(context, described);
    return result;
  };
}

/** An interaction that is recorded, as an operation that reads, only where its result opens data. */
export function opens<Arguments extends readonly unknown[], Result>(
  invocationOf: (of: NoInfer<Arguments>) => Pick<Invocation, 'type' | 'id' | 'code' | 'query'>,
  isOpening: (result: Result) => boolean,
): RecordedRun<Arguments, Result> {
  return async (recorder, run, context, ...of) => {
    const result = await run(context, ...of);
    if (recorder.recordsReads && isOpening(result)) {
      const invocation = invocationOf(of);
      const { type, id } = invocation;
      await recorder.note(context, {
        interaction: 'operation',
        type,
        id,
        query: operationAddress(invocation),
      });
    }
    return result;
  };
}

/** An interaction that may write. `isWritten`: its result says that it has written, and so has been recorded. */
export function writes<Arguments extends readonly unknown[], Result>(
  describe: (of: NoInfer<Arguments>) => Described,
  isWritten: (result: Result) => boolean = () => true,
): RecordedRun<Arguments, Result> {
  return async (recorder, run, context, ...of) => {
    const described = describe(of);
    let result;
    try {
      result = await run(recorder.writing(context, described), ...of);
    } catch (error) {
      await recorder.noteFailure(context, described, error);
      throw error;
    }
    if (context.trail !== undefined) context.trail.isRecorded = true;
    if (!isWritten(result)) await recorder.note(context, described);
    return result;
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof FhirError && [401, 403, 429].includes(error.status);
}
