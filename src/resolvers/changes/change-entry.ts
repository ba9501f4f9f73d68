import { type JsonValue, stringifyJson } from '../../core/index';
import type { Json, JsonObject } from '../../schema/json';
import { stringifyAround } from '../../schema/raw-json';
import type { Change, ChangeTarget } from './change';

/** Returns a change as an entry of a transaction (http://hl7.org/fhir/R4/http.html#transaction). */
export function toEntry(change: Change): JsonObject {
  switch (change.kind) {
    case 'create': {
      const { type, resource, ifNoneExist, urn } = change;
      const condition: JsonObject = ifNoneExist === undefined ? {} : { ifNoneExist };
      return { ...nameOf(urn), resource, request: { method: 'POST', url: type, ...condition } };
    }
    case 'update': {
      const { target, resource, ifMatch, urn } = change;
      return {
        ...nameOf(urn),
        resource,
        request: { method: 'PUT', url: urlOf(target), ...guardOf(ifMatch) },
      };
    }
    case 'patch': {
      const { target, patch, ifMatch } = change;
      const resource = Array.isArray(patch) ? toBinary(patch) : patch;
      return { resource, request: { method: 'PATCH', url: urlOf(target), ...guardOf(ifMatch) } };
    }
    case 'delete':
      return { request: { method: 'DELETE', url: urlOf(change.target), ...guardOf(change.ifMatch) } };
  }
}

function nameOf(urn: string | undefined): JsonObject {
  return urn === undefined ? {} : { fullUrl: urn };
}

/** Encodes `#`, which would end the query of a url. */
function urlOf({ type, id, criteria }: ChangeTarget): string {
  if (criteria === undefined) return `${type}/${encodeURIComponent(id)}`;
  return `${type}?${criteria.replaceAll('#', '%23')}`;
}

function guardOf(ifMatch: readonly string[] | undefined): JsonObject {
  if (ifMatch === undefined) return {};
  return { ifMatch: ifMatch.includes('*') ? '*' : ifMatch.map((version) => `W/"${version}"`).join(', ') };
}

/** Returns a JSON Patch as the data of a Binary, as a Bundle requires. */
function toBinary(operations: readonly Json[]): JsonObject {
  const text = stringifyAround(operations, (around) => stringifyJson(around as JsonValue, true));
  return {
    resourceType: 'Binary',
    contentType: 'application/json-patch+json',
    data: Buffer.from(text, 'utf8').toString('base64'),
  };
}
