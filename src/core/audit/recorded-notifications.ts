import type { RequestContext } from '../context';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { RecordingTools } from './recorder';
import { toRecord } from './recording';

/** A notification of a Subscription. */
export interface RecordedNotification {
  readonly id: string;
  readonly type: string;
  readonly hasArrived: boolean;
}

/** The status of a record of a notification that did not arrive: what a proxy answers for such an endpoint. */
const NOT_ARRIVED = 502;

/** Records notifications as operations of the author on the Subscription. */
export function recordNotifications({
  log,
  ids,
}: Pick<RecordingTools, 'log' | 'ids'>): (
  context: RequestContext,
  notification: RecordedNotification,
) => Promise<void> {
  return async (context, { id, type, hasArrived }) => {
    const described = {
      ...{ interaction: 'operation', type: SUBSCRIPTION, id },
      query: `${SUBSCRIPTION}/${id}?notification=${type}`,
    };
    const ending = { status: hasArrived ? 200 : NOT_ARRIVED };
    await log.note(context.space.number, toRecord(ids, context, described, ending));
  };
}
