/** Sends the requests of GraphiQL: queries by POST, live queries by server-sent events, the schema as a file. */
import { getOperationAST, OperationTypeNode, parse } from 'graphql';
import { followEvents } from './events.mjs';
import { gatewayAddress } from './place.mjs';
import { storeSchema } from './schema-text.mjs';
import { sessionHeaders } from './session.mjs';

/* global AbortController */

/** The headers that the user has set for the last request. */
export let lastHeaders = {};

/** Parses JSON with the digits of decimals, so that 1.00 is not shown as 1; only in browsers that support it. */
function keepDigits(_name, value, context) {
  return typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
    ? JSON.rawJSON(context.source)
    : value;
}

function parseAnswer(text) {
  return JSON.parse(text, JSON.rawJSON ? keepDigits : undefined);
}

/** For a moment after a change of tabs GraphiQL still sends the operation name of the previous tab. */
function withoutStranger({ operationName, ...request }) {
  return operationName && request.query.includes(operationName) ? { ...request, operationName } : request;
}

/** The parsed document of GraphiQL is that of the previous tab for a moment, too. */
function isSubscription({ query, operationName }) {
  try {
    const operation = getOperationAST(parse(query), operationName);
    return operation?.operation === OperationTypeNode.SUBSCRIPTION;
  } catch {
    // The server reports invalid documents.
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

/** Reads the result of an introspection: a compressed file of the build, which the browser caches until the schema changes. */
async function fetchSchema() {
  const response = await fetch(`${gatewayAddress()}/schema.json`, { headers: lastHeaders });
  const text = await response.text();
  storeSchema(text);
  return JSON.parse(text);
}

/** Headers of the editor come before those of the session, whatever the case of their names. */
function withSession(headers) {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return isGiven ? headers : { ...headers, ...sessionHeaders() };
}

export async function fetcher(given, { headers: edited = {} } = {}) {
  const headers = withSession(edited);
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
