/** Core with a record of every access to it. */
import type { Core } from '../api/core';
import type { Interactions, Run, RunsOf, SingleInteractions } from '../api/interactions';
import { endingOf } from './describe';
import { wrapInteractions } from '../authorization/wrap-interactions';
import { AccessTrail } from './access-trail';
import { INTERACTION_RECORDS, type RecordsOf } from './interaction-records';
import { Recorder, type RecordingTools } from './recorder';
import { settle, toRecord, type Ending } from './recording';

/**
 * The same interactions, each of which leaves one record: a write in the statement that writes
 * (`RequestContext.recording`), all others afterwards, in batches (access-log.ts). Reads of a request with a trail go
 * there. Cost: about a microsecond, and the write of the record.
 */
export function recordAccesses(core: SingleInteractions, tools: RecordingTools): SingleInteractions {
  const { bundle: _byItself, ...records } = INTERACTION_RECORDS;
  return recordAll(records, core, new Recorder(tools));
}

function recordAll<Names extends keyof Interactions>(
  records: RecordsOf<Names>,
  runs: RunsOf<Names>,
  recorder: Recorder,
): RunsOf<Names> {
  return wrapInteractions(records, runs, (name, run) => recorded(records[name], run, recorder));
}

function recorded<Name extends keyof Interactions>(
  record: RecordsOf<Name>[Name],
  run: Run<Name>,
  recorder: Recorder,
): Run<Name> {
  return (context, ...of) => record(recorder, run, context, ...of);
}

/** The same for the interaction `bundle`. */
export function recordBundle(run: Interactions['bundle'], tools: RecordingTools): Interactions['bundle'] {
  return recorded<'bundle'>(INTERACTION_RECORDS.bundle, run, new Recorder(tools));
}

/** As Core.recordAsOneAccess. */
export function recordTogether({ log, ids, recordsReads }: RecordingTools): Core['recordAsOneAccess'] {
  return async (context, query, work, statusOf) => {
    const trail = new AccessTrail();
    const note = (ending: Ending): Promise<void> | undefined => {
      const isRefused = [401, 403, 429].includes(ending.status);
      if (!recordsReads && !isRefused) return undefined;
      const { details } = trail;
      if (details === undefined && trail.isRecorded) return undefined;
      return log.note(
        context.space.number,
        toRecord(ids, context, { interaction: 'operation', query, details }, ending),
      );
    };
    let result;
    try {
      result = await work({ ...context, trail });
    } catch (error) {
      settle(error);
      await note(endingOf(error));
      throw error;
    }
    await note({ status: statusOf(result) });
    return result;
  };
}
