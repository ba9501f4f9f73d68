/**
 * POST|GET {root}/Subscription/{id}/$events
 *
 * In: eventsSinceNumber, eventsUntilNumber, both included; content, at most the content level of the Subscription.
 * Result: a history Bundle of the status and the events, read with the rights of the client: an event whose resource was
 * erased, or which the client may not read, has a number and no focus. At most 500 events and 1,000,000 characters of
 * resources: the client continues with the number after the last one of the answer.
 * https://hl7.org/fhir/uv/subscriptions-backport/OperationDefinition-backport-subscription-events.html
 */
import { fhirError } from '../errors';
import { notificationBundle } from './notification-text';
import { type ReadOperation } from '../operation-types/operation';
import { subscriptionEventsDefinition } from '../operation-types/own-definitions';
import { type InputParameters } from '../operation-types/parameters';

const SINCE = 'eventsSinceNumber';
const UNTIL = 'eventsUntilNumber';

export const subscriptionEvents: ReadOperation = {
  definition: subscriptionEventsDefinition.url,
  own: subscriptionEventsDefinition,
  async run(environment, { id, parameters }) {
    if (id === undefined) throw fhirError('operationWrongLevel');
    const since = numberOf(parameters, SINCE);
    const until = numberOf(parameters, UNTIL);
    if (since !== undefined && until !== undefined && until < since)
      refuse(parameters, UNTIL, `it must not be less than '${SINCE}'`);
    const content = contentOf(parameters);
    const found = await environment.subscriptionEvents({ id, since, until, content });
    return { text: notificationBundle(environment.definitions.release, found) };
  },
};

/** A client that has seen no event yet may count from 0. */
function numberOf(parameters: InputParameters, name: string): number | undefined {
  const text = parameters.text(name);
  if (text === undefined) return undefined;
  if (!/^[0-9]{1,15}$/.test(text)) return refuse(parameters, name, 'an event number is a whole number');
  return Math.max(1, Number(text));
}

function contentOf(parameters: InputParameters): 'empty' | 'id-only' | 'full-resource' | undefined {
  const text = parameters.text('content');
  if (text === undefined || text === 'empty' || text === 'id-only' || text === 'full-resource') return text;
  return refuse(parameters, 'content', 'allowed are empty, id-only and full-resource');
}

function refuse(parameters: InputParameters, name: string, fault: string): never {
  const reason = `The parameter '${name}' is wrong: ${fault}`;
  throw fhirError('operationInputInvalid', { reason }, parameters.first(name)?.expression);
}
