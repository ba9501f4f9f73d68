/** How GraphiQL asks the server: queries by POST, live queries by server-sent events, the schema as a file. */
import { getOperationAST, OperationTypeNode, parse } from 'graphql';
import { followEvents } from './events.mjs';
import { gatewayAddress } from './place.mjs';
import { rememberSchema } from './schema-text.mjs';

/* global AbortController */

/** The headers of the last request: those that the user has set. */
export let lastHeaders = {};

/** Decimals as they were sent: a browser that can, shows 1.00 and not 1. */
function keepDigits(_name, value, context) {
  return typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? JSON.rawJSON(context.source)
    : value;
}

function parseAnswer(text) {
  return JSON.parse(text, JSON.rawJSON ? keepDigits : undefined);
}

/** For a moment after a change of tabs GraphiQL still names the operation of the tab before. */
function withoutStranger({ operationName, ...request }) {
  return operationName && request.query.includes(operationName) ? { ...request, operationName } : request;
}

/** The document that GraphiQL gives beside the text is that of the tab before for a moment, too. */
function isSubscription({ query, operationName }) {
  try {
    const operation = getOperationAST(parse(query), operationName);
    return operation?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    // What is no document is told so by the server.
    return false;
  }
}

async function post(request) {
  const response = await fetch(gatewayAddress(), {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', ...lastHeaders },
    body: JSON.stringify(request),
  });
  return parseAnswer(await response.text());
}

/** An answer to an introspection. Made with the server, packed, and kept by the browser until there is another schema. */
async function fetchSchema() {
  const response = await fetch(`${gatewayAddress()}/schema.json`, { headers: lastHeaders });
  const text = await response.text();
  rememberSchema(text);
  return JSON.parse(text);
}

export async function fetcher(given, { headers = {} } = {}) {
  lastHeaders = headers;
  if (given.operationName === 'IntrospectionQuery') return fetchSchema();
  const request = withoutStranger(given);
  if (!isSubscription(request)) return post(request);
  return {
    subscribe({ next, error, complete }) {
      const controller = new AbortController();
      followEvents(
        `${gatewayAddress()}/stream`,
        request,
        headers,
        (text) => next(parseAnswer(text)),
        controller.signal,
      ).then(complete, (thrown) => controller.signal.aborted || error(thrown));
      return { unsubscribe: () => controller.abort() };
    },
  };
}
