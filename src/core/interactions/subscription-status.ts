import { fhirError } from '../errors';
import type { RequestContext } from '../context';
import { parseStoredObject, type JsonValue } from '../fhir/json';
import { SUBSCRIPTION } from '../fhir/type-names';
import type { WriteServices } from '../ports';
import type { RunningStatus } from '../storage/notifications/subscription-change';
import { addressOf } from '../versions/resource-address';
import { replaceVersion } from './replace-version';
import { toStoredVersion } from '../versions/stored-version';

/** A new status of a Subscription, which the server has determined. */
export interface FoundStatus {
  readonly id: string;
  /** The version that a client wrote last. */
  readonly of: number;
  readonly status: RunningStatus | 'off';
  /** Undefined: the Subscription has no error. */
  readonly error: string | undefined;
  /** See `SubscriptionChange`. */
  readonly keeps?: boolean;
  readonly most?: number;
}

/**
 * Changes the status of a Subscription by a new version, and its state in the same transaction. Throws
 * SubscriptionRewritten where a client has written it since, notFound and gone.
 */
export async function setSubscriptionStatus(
  services: WriteServices,
  context: RequestContext,
  { id, of, status, error, keeps, most }: FoundStatus,
): Promise<void> {
  const { space } = context;
  const address = addressOf(services, context, SUBSCRIPTION, id);
  await replaceVersion(services, context, {
    type: SUBSCRIPTION,
    id,
    address,
    guard: undefined,
    intent: 'patch',
    next: async (present) => {
      if (present === undefined || present.change === 'delete')
        throw fhirError(present === undefined ? 'notFound' : 'gone', { type: SUBSCRIPTION, id });
      const { text } = toStoredVersion(services, SUBSCRIPTION, present);
      const operations: JsonValue[] = [{ op: 'replace', path: '/status', value: status }];
      if (error !== undefined) operations.push({ op: 'add', path: '/error', value: error });
      else if (parseStoredObject(text)['error'] !== undefined)
        operations.push({ op: 'remove', path: '/error' });
      const prepared = await services.preparer.patch({
        ...{ space, type: SUBSCRIPTION, id },
        current: text,
        operations: { value: operations, marked: false },
        byServer: true,
      });
      const to = { status, of, failure: error, keeps, most };
      return { change: 'update', prepared, status: { ...address, id, to } };
    },
  });
}
