/** Subscriptions as they are stored: what a client requests waits for its handshake, and no secret stays in the text. */
import { SUBSCRIPTION } from '../type-names';
import { FhirError, type Issue } from '../../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import type { Release } from '../release';
import { isMaskedHeader, maskHeader, readSubscription } from './subscription-request';

/** Statuses with which a client requests or expects notifications. */
const RUNNING: ReadonlySet<string> = new Set(['requested', 'active']);

/** The data that storage needs of a Subscription beside its text. */
export interface PreparedSubscription {
  /** True: the client requests notifications. */
  readonly isRequested: boolean;
  readonly endpoint: string | undefined;
  /** The headers of the channel; an undefined value is the one that is stored. */
  readonly headers: readonly (readonly [name: string, value: string | undefined])[];
}

function isRunning(status: JsonValue | undefined): status is string {
  return typeof status === 'string' && RUNNING.has(status);
}

/** Returns the reasons why a Subscription cannot run; none for all other resources, and for one that is off. */
export function subscriptionIssues(release: Release, type: string, resource: JsonObject): readonly Issue[] {
  if (type !== SUBSCRIPTION || !isRunning(resource['status'])) return NO_ISSUES;
  const read = readSubscription(resource, release);
  return 'issues' in read ? read.issues : NO_ISSUES;
}

const NO_ISSUES: readonly Issue[] = [];

/**
 * Returns the resource to store. A client that asks for an active Subscription gets a requested one, because only the
 * server can tell that notifications arrive; `byServer`: the status stays. Throws ruleViolated with all reasons.
 */
export function prepareSubscription(
  release: Release,
  resource: JsonObject,
  byServer: boolean,
): { readonly resource: JsonObject; readonly subscription: PreparedSubscription } {
  const channel = isJsonObject(resource['channel']) ? resource['channel'] : {};
  const sent = Array.isArray(channel['header']) ? channel['header'].map(String) : [];
  const endpoint = typeof channel['endpoint'] === 'string' ? channel['endpoint'] : undefined;
  const isRequested = !byServer && isRunning(resource['status']);
  if (isRequested) {
    const issues = subscriptionIssues(release, SUBSCRIPTION, resource);
    if (issues.length > 0) throw new FhirError('ruleViolated', issues);
  }
  return {
    resource: {
      ...resource,
      ...(isRequested ? { status: 'requested' } : {}),
      ...(sent.length === 0 ? {} : { channel: { ...channel, header: sent.map(maskHeader) } }),
    },
    subscription: { isRequested, endpoint, headers: sent.map(splitHeader) },
  };
}

function splitHeader(header: string): readonly [string, string | undefined] {
  const colon = header.indexOf(':');
  const name = header.slice(0, colon).trim();
  return [name, isMaskedHeader(header) ? undefined : header.slice(colon + 1).trim()];
}

/** Returns a Subscription that requests notifications with the status `off`; undefined for every other resource. */
export function switchedOff(resource: JsonValue): JsonObject | undefined {
  if (!isJsonObject(resource) || resource['resourceType'] !== SUBSCRIPTION) return undefined;
  return isRunning(resource['status']) ? { ...resource, status: 'off' } : undefined;
}
