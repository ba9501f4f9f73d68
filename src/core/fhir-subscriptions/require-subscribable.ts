import { permissionsOf } from '../authorization/visibility';
import type { RequestContext } from '../context';
import { FhirError, fhirError } from '../errors';
import type { JsonObject } from '../fhir/json';
import { mayNotify } from '../limits/notification-hosts';
import type { WriteServices } from '../ports';
import { planSubscription } from './subscription-plan';
import { readSubscription } from '../fhir/subscription/subscription-request';

/**
 * Throws ruleViolated where the server cannot do what a Subscription requests, and forbidden where its author may not
 * read what it would send. Cost: that of `planSubscription`.
 */
export async function requireSubscribable(
  services: WriteServices,
  context: RequestContext,
  resource: JsonObject,
): Promise<void> {
  const read = readSubscription(resource, context.space.release);
  if ('issues' in read) throw new FhirError('ruleViolated', read.issues);
  const { endpoint } = read.request;
  const fault = endpoint === undefined ? undefined : services.destinations.findFault(endpoint);
  if (fault !== undefined)
    throw fhirError(
      'ruleViolated',
      { reason: `The endpoint may not be called: ${fault}` },
      'Subscription.channel.endpoint',
    );
  if (endpoint !== undefined && !mayNotify(context.space.settings.limits.notificationHosts, endpoint))
    throw fhirError(
      'ruleViolated',
      { reason: 'This tenant sends no notifications to the host of this endpoint (notification-hosts)' },
      'Subscription.channel.endpoint',
    );
  const { triggers } = await planSubscription(services, context, read.request);
  const permissions = permissionsOf(services, context);
  for (const { trigger } of triggers) permissions?.require(trigger.type, 'r');
}
