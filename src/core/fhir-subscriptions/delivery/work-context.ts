import type { Caller } from '../../api/access';
import { EMPTY_REQUEST_STATE, type Log, type RequestContext, type TenantSpace } from '../../context';

/** Deadline of what is done for one page of changes or one notification. */
const WORK_MS = 30_000;

/** The context of work on Subscriptions that no request asks for. */
export function workContext(log: Log, space: TenantSpace, caller: Caller): RequestContext {
  return {
    ...EMPTY_REQUEST_STATE,
    ...caller,
    ...{ space, log, deadline: Date.now() + WORK_MS, requestId: 'subscription' },
  };
}
