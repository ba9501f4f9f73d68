/** What a delivery is, in words. */
import type { Delivery } from '../../../api/administration';
import { texts } from '../../../texts';

const words = texts.administration.subscriptionScreens;

export interface DeliveryState {
  readonly label: string;
  readonly color: string;
}

const COLORS = { requested: 'blue', active: 'teal', error: 'red', off: 'gray' } as const;

/** An active Subscription whose last notification did not arrive is failing. */
export function stateOf({ status, attempts }: Pick<Delivery, 'status' | 'attempts'>): DeliveryState {
  if (status === 'active' && attempts > 0) return { label: words.failing, color: 'orange' };
  return { label: words.statuses[status], color: COLORS[status] };
}

/** True: its state will be another one within moments. */
export function isUnderWay(
  { status, waiting, nextAttempt }: Pick<Delivery, 'status' | 'waiting' | 'nextAttempt'>,
  now: number,
): boolean {
  if (status === 'requested') return true;
  return status === 'active' && waiting > 0 && (nextAttempt === undefined || Date.parse(nextAttempt) <= now);
}

/** What an administrator can do to let it deliver; undefined: nothing is needed, or only its client can. */
export function wayToDeliver({
  status,
  attempts,
  resumable,
}: Pick<Delivery, 'status' | 'attempts' | 'resumable'>):
  { readonly label: string; readonly nameOf: (id: string) => string } | undefined {
  if (status === 'error') return { label: words.request, nameOf: words.requestOf };
  if (status === 'off' && resumable) return { label: words.switchOn, nameOf: words.switchOnOf };
  if (status === 'active' && attempts > 0) return { label: words.retry, nameOf: words.retryOf };
  return undefined;
}
