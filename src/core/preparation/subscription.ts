/**
 * Subscriptions are stored but never executed, so none may claim to be active
 * (https://hl7.org/fhir/R4/subscription.html).
 */
import { toIssue, type Issue } from '../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';

export const SUBSCRIPTION = 'Subscription';

/** Statuses with which a client requests or expects notifications. */
const RUNNING: ReadonlySet<string> = new Set(['requested', 'active']);

function isRunning(status: JsonValue | undefined): status is string {
  return typeof status === 'string' && RUNNING.has(status);
}

/** Returns the reason why a Subscription must not be written; none for all other resources. */
export function subscriptionIssues(type: string, { status }: JsonObject): readonly Issue[] {
  if (type !== SUBSCRIPTION || !isRunning(status)) return NO_ISSUES;
  const reason = `Subscriptions are not supported: one with the status '${status}' would promise notifications; store it as 'off'`;
  return [toIssue('notSupported', { reason }, 'Subscription.status')];
}

const NO_ISSUES: readonly Issue[] = [];

/** Returns a Subscription that requests notifications with the status `off`; undefined for every other resource. */
export function switchedOff(resource: JsonValue): JsonObject | undefined {
  if (!isJsonObject(resource) || resource['resourceType'] !== SUBSCRIPTION) return undefined;
  return isRunning(resource['status']) ? { ...resource, status: 'off' } : undefined;
}
