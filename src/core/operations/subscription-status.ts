/**
 * POST|GET {root}/Subscription/{id}/$status and {root}/Subscription/$status
 *
 * In: id, status (each may be repeated), only at type level.
 * Result: a searchset Bundle of the status of each Subscription that the client may find, with the number of its events.
 * https://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition-backport-subscription-status.html
 */
import { fhirError } from '../errors';
import { statusBundle } from './notification-text';
import { type ReadOperation } from '../operation-types/operation';
import { subscriptionStatusDefinition } from '../operation-types/own-definitions';
import { type InputParameters } from '../operation-types/parameters';

export const subscriptionStatus: ReadOperation = {
  definition: subscriptionStatusDefinition.url,
  own: subscriptionStatusDefinition,
  // SubscriptionStatus is a resource type of R4B.
  fieldCode: 'query-status',
  async run(environment, { id, parameters }) {
    const request =
      id === undefined ? { ids: parameters.texts('id'), statuses: statusesOf(parameters) } : { id };
    const found = await environment.subscriptionStatuses(request);
    return { text: statusBundle(environment.definitions.release, found) };
  },
};

/** https://hl7.org/fhir/R4/valueset-subscription-status.html */
const STATUSES: readonly string[] = ['requested', 'active', 'error', 'off'];

function statusesOf(parameters: InputParameters): readonly string[] {
  const statuses = parameters.texts('status');
  const wrong = statuses.find((status) => !STATUSES.includes(status));
  if (wrong === undefined) return statuses;
  const reason = `'${wrong.slice(0, 40)}' is not a status of Subscriptions: ${STATUSES.join(', ')} are allowed`;
  const { expression } = parameters.values.find(({ value }) => value === wrong) ?? {};
  throw fhirError('operationInputInvalid', { reason }, expression);
}
