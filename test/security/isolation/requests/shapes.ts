/** Requests by their shape: a PUT, a Bundle, a GraphQL document, an asynchronous one. */
import { toJsonText, type JsonObject, type Resource } from '../../../properties/oracle/json';
import type { Release } from '../../../../src/core';
import type { Sent } from '../world';

const JSON_TYPE = { 'content-type': 'application/json' };

export const addressOf = ({ resourceType, id }: Resource): string => `${resourceType}/${id}`;

export function withoutId(resource: Resource): JsonObject {
  const { id: _id, ...rest } = resource;
  return rest;
}

export function put(
  release: Release,
  resource: Resource,
  headers: Readonly<Record<string, string>> = {},
): Sent {
  return {
    method: 'PUT',
    path: `/fhir/${release}/${addressOf(resource)}`,
    body: toJsonText(resource),
    headers,
  };
}

export const later = (sent: Sent): Sent => ({
  ...sent,
  isLater: true,
  headers: { ...sent.headers, prefer: 'respond-async' },
});

export interface EntryRequest {
  readonly method: string;
  readonly url: string;
  readonly resource?: Resource | object;
  readonly fullUrl?: string;
  readonly more?: Readonly<Record<string, string>>;
}

export function batch(
  release: Release,
  type: 'batch' | 'transaction',
  entries: readonly EntryRequest[],
): Sent {
  const texts = entries.map(({ method, url, resource, fullUrl, more }) => {
    const members = [
      ...(fullUrl === undefined ? [] : [`"fullUrl":${JSON.stringify(fullUrl)}`]),
      ...(resource === undefined ? [] : [`"resource":${toJsonText(resource as JsonObject)}`]),
      `"request":${JSON.stringify({ method, url, ...more })}`,
    ];
    return `{${members.join(',')}}`;
  });
  return {
    method: 'POST',
    path: `/fhir/${release}`,
    body: `{"resourceType":"Bundle","type":"${type}","entry":[${texts.join(',')}]}`,
  };
}

export function graphql(release: Release, query: string, variables: string = '{}'): Sent {
  return {
    method: 'POST',
    path: `/graphql/${release}`,
    body: `{"query":${JSON.stringify(query)},"variables":${variables}}`,
    headers: JSON_TYPE,
  };
}
