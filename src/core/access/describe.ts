/** Accesses in words: what was asked, and how it ended. */
import type { HistoryRequest, Invocation, SearchRequest, StoredVersion } from '../api';
import { FhirError } from '../errors';
import type { Described, Ending } from './recording';

/** As the client is told. */
export function endingOf(error: unknown): Ending {
  return error instanceof FhirError
    ? { status: error.status, reason: error.key }
    : { status: 500, reason: 'internal' };
}

const MAX_LISTED = 100;

/** A version, as a line of what was read. */
export function lineOf({ type, id, versionId }: StoredVersion): string {
  return `${type}/${id}/_history/${versionId}`;
}

/** What was read, one a line, and how much more there was. */
export function listed(versions: readonly StoredVersion[]): string | undefined {
  if (versions.length === 0) return undefined;
  const lines = versions.slice(0, MAX_LISTED).map(lineOf);
  if (versions.length > MAX_LISTED) lines.push(`+${versions.length - MAX_LISTED}`);
  return lines.join('\n');
}

/** `Observation?code=…` */
export function describeSearch({
  type,
  compartment,
  parameters,
}: Pick<SearchRequest, 'type' | 'compartment' | 'parameters'>): Described {
  const path =
    compartment === undefined ? (type ?? '') : `${compartment.type}/${compartment.id}/${type ?? '*'}`;
  return {
    interaction: type === undefined ? 'search-system' : 'search-type',
    type,
    query: queryText(path, parameters),
  };
}

export function describeHistory({ type, id }: Pick<HistoryRequest, 'type' | 'id'>): Described {
  if (type === undefined) return { interaction: 'history-system', query: '_history' };
  if (id === undefined) return { interaction: 'history-type', type, query: `${type}/_history` };
  return { interaction: 'history-instance', type, id, query: `${type}/${id}/_history` };
}

/** `Patient/1/$everything?…` */
export function operationAddress({
  type,
  id,
  code,
  query = [],
}: Pick<Invocation, 'type' | 'id' | 'code' | 'query'>): string {
  const owner = [type, id].filter((part) => part !== undefined);
  return queryText([...owner, `$${code}`].join('/'), query);
}

/** An address with parameters, whatever is in them. */
export function queryText(path: string, parameters: readonly (readonly [string, string])[]): string {
  const query = parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  return `${path}?${query}`;
}

/** Half of a surrogate pair cannot be encoded. */
function encode(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString());
}
