/**
 * POST|GET {root}/Subscription/{id}/$get-ws-binding-token and {root}/Subscription/$get-ws-binding-token
 *
 * In: id (may be repeated), only at type level.
 * Result: Parameters with a token that binds the Subscriptions to a WebSocket, once and within 30 seconds.
 * https://hl7.org/fhir/uv/subscriptions-backport/STU1.1/OperationDefinition-backport-subscription-get-ws-binding-token.html
 */
import { type JsonObject } from '../fhir/json';
import { formatInstant } from '../fhir/resource-text';
import { type ReadOperation } from '../operation-types/operation';
import { subscriptionBindingTokenDefinition } from '../operation-types/own-definitions';

export const subscriptionBindingToken: ReadOperation = {
  definition: subscriptionBindingTokenDefinition.url,
  own: subscriptionBindingTokenDefinition,
  async run(environment, { id, parameters }) {
    const ids = id === undefined ? parameters.texts('id') : [id];
    const { token, expires, subscriptions, url } = await environment.issueBindingToken(ids);
    const answer: JsonObject[] = [
      { name: 'token', valueString: token },
      { name: 'expiration', valueDateTime: formatInstant(expires) },
      ...subscriptions.map((valueString) => ({ name: 'subscription', valueString })),
      { name: 'websocket-url', valueUrl: url },
    ];
    return { parameters: answer };
  },
};
