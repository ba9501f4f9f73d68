import type { CoreAccess } from '../api/core';
import { AccessTrail } from './access-trail';
import { endingOf } from './describe';
import type { RecordingTools } from './recorder';
import { settle, toRecord, type Ending } from './recording';

/** As CoreAccess.recordAsOneAccess. */
export function recordAsOne({ log, ids, recordsReads }: RecordingTools): CoreAccess['recordAsOneAccess'] {
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
