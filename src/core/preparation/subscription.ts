/** Subscriptions are stored and never carried out, so none may say that it is (https://hl7.org/fhir/R4/subscription.html). */
import { toIssue, type Issue } from '../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../fhir/json';

export const SUBSCRIPTION = 'Subscription';

/** Those in which a client asks for notifications, or expects them. */
const RUNNING: ReadonlySet<string> = new Set(['requested', 'active']);

function isRunning(status: JsonValue | undefined): status is string {
  return typeof status === 'string' && RUNNING.has(status);
}

/** Why a resource of this type is no Subscription that may be written; nothing for all others. */
export function subscriptionIssues(type: string, { status }: JsonObject): readonly Issue[] {
  if (type !== SUBSCRIPTION || !isRunning(status)) return NO_ISSUES;
  const reason = `Subscriptions are not carried out: one with the status '${status}' would promise notifications; store it as 'off'`;
  return [toIssue('notSupported', { reason }, 'Subscription.status')];
}

const NO_ISSUES: readonly Issue[] = [];

/** A Subscription that asks for notifications, with the status `off`; undefined for every other resource. */
export function switchedOff(resource: JsonValue): JsonObject | undefined {
  if (!isJsonObject(resource) || resource['resourceType'] !== SUBSCRIPTION) return undefined;
  return isRunning(resource['status']) ? { ...resource, status: 'off' } : undefined;
}
