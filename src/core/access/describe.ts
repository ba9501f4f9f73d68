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

/** A version, as it stands among what was read. */
export function lineOf({ type, id, versionId }: StoredVersion): string {
  return `${type}/${id}/_history/${versionId}`;
}

/** What was read, with spaces between, and how much more there was. Cost: a concatenation for each. */
export function listed(
  versions: readonly StoredVersion[],
  others: readonly StoredVersion[] = NONE,
): string | undefined {
  const count = versions.length + others.length;
  if (count === 0) return undefined;
  let text = '';
  for (let place = 0; place < count && place < MAX_LISTED; place++) {
    const version = versions[place] ?? others[place - versions.length];
    if (version !== undefined) text += `${place === 0 ? '' : ' '}${lineOf(version)}`;
  }
  return count > MAX_LISTED ? `${text} +${count - MAX_LISTED}` : text;
}
const NONE: readonly StoredVersion[] = [];

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

const PLAIN = /^[\w.~/|,:!*'()-]*$/;

/** Half of a surrogate pair cannot be encoded. Most texts of a search need no encoding, which would be dear. */
function encode(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(Buffer.from(text).toString());
}
