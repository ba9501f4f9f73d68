/** Accesses in words: what was asked, and how it ended. */
import type { HistoryRequest, Invocation, SearchPage, SearchRequest, StoredVersion } from '../api';
import { FhirError } from '../errors';
import { shortList } from '../storage/access-line';
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

/** What was read, with how much more there was; undefined: nothing. Cost: a concatenation for each. */
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

/** Of pages: those that are remembered are answered again and again. */
const listedPages = new WeakMap<SearchPage, string>();

/** What a page has given. Cost: a look-up, the first time that of `listed`. */
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

/** An address with parameters, whatever is in them. */
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

/** Half of a surrogate pair cannot be encoded. Most texts of a search need no encoding, which would be dear. */
function encode(text: string): string {
  return PLAIN.test(text) ? text : encodeURIComponent(Buffer.from(text).toString());
}
