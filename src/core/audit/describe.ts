/** Descriptions of accesses for the audit: the request and its outcome. */
import type { HistoryRequest } from '../api/history';
import type { Invocation } from '../api/operation';
import type { SearchPage } from '../api/search';
import type { SearchRequest } from '../search/requests/search-request';
import type { StoredVersion } from '../storage/read/stored-version';
import { FhirError } from '../errors';
import { shortList } from '../storage/audit/access-line';
import type { Described, Ending } from './recording';

/** The status and error that the client receives. */
export function endingOf(error: unknown): Ending {
  return error instanceof FhirError
    ? { status: error.status, reason: error.key }
    : { status: 500, reason: 'internal' };
}

const MAX_LISTED = 100;

/** The text of a version in a list of read versions. */
export function lineOf({ type, id, versionId }: StoredVersion): string {
  return `${type}/${id}/_history/${versionId}`;
}

/** The list of read versions, with the number of omitted ones; undefined: none. Cost: one concatenation a version. */
export function listed(
  versions: readonly StoredVersion[],
  others: readonly StoredVersion[] = NONE,
): string | undefined {
  const count = versions.length + others.length;
  if (count === 0) return undefined;
  const all = others.length === 0 ? versions : [...versions, ...others];
  return shortList(count > MAX_LISTED ? all.slice(0, MAX_LISTED) : all, Math.max(0, count - MAX_LISTED));
}
const NONE: readonly StoredVersion[] = [];

/** Lists by page, because cached pages are returned many times. */
const listedPages = new WeakMap<SearchPage, string>();

/** The list of the versions of a page. Cost: a lookup; the first time that of `listed`. */
export function listedOf(page: SearchPage): string | undefined {
  let text = listedPages.get(page);
  if (text === undefined) {
    text = listed(page.matches, page.included);
    if (text !== undefined) listedPages.set(page, text);
  }
  return text;
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

/** An address with parameters, encoded. */
export function queryText(path: string, parameters: readonly (readonly [string, string])[]): string {
  let text = `${path}?`;
  let separator = '';
  for (const [name, value] of parameters) {
    text += `${separator}${encode(name)}=${encode(value)}`;
    separator = '&';
  }
  return text;
}

const PLAIN = /^[\w.~/|,:!*'()-]*$/;

/** Lone surrogates are replaced, because they cannot be encoded. Most texts need no encoding, which is expensive. */
function encode(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(Buffer.from(text).toString());
}
