import type { DocumentContent, HistoryPage, SearchPage, StoredVersion } from '../core';
import { toOutcome } from '../core';
import { toEntityTag } from './entity-tag';
import { formatParameters, type Parameter } from './query';

/** Where the links of a Bundle point: `address` without a query, and the parameters of this page. */
export interface PageLinks {
  readonly address: string;
  readonly used: readonly Parameter[];
  /** Value of `_cursor` of the next page. */
  readonly next: string | undefined;
  /** That of the page before. */
  readonly previous?: string | undefined;
}

/**
 * A searchset Bundle (https://hl7.org/fhir/R4/bundle.html#searchset) by joining the stored texts; nothing is parsed.
 * `root` is `{fhir_root}`. Order: matches, included, then the outcome.
 */
export function writeSearchset(page: SearchPage, root: string, links: PageLinks): string {
  const entries: string[] = [];
  for (const version of page.matches) entries.push(writeSearchEntry(version, root, 'match'));
  for (const version of page.included) entries.push(writeSearchEntry(version, root, 'include'));
  if (page.issues.length > 0)
    entries.push(`{"resource":${toOutcome(page.issues)},"search":{"mode":"outcome"}}`);
  return writeBundle('searchset', page.total, links, entries);
}

/**
 * A history Bundle (https://hl7.org/fhir/R4/http.html#history), newest first: each entry says which request made the
 * version, and a deletion has no resource.
 */
export function writeHistory(page: HistoryPage, root: string, links: PageLinks): string {
  const entries = page.versions.map((version) => writeHistoryEntry(version, root));
  return writeBundle('history', page.total, links, entries);
}

/** A document Bundle (https://hl7.org/fhir/R4/documents.html#bundle), of which each resource has its address here. */
export function writeDocument({ identifier, timestamp, versions }: DocumentContent, root: string): string {
  const entries = versions.map(
    ({ type, id, text }) => `{"fullUrl":"${root}/${type}/${id}","resource":${text}}`,
  );
  const name = `"identifier":{"system":"urn:ietf:rfc:3986","value":"${identifier}"}`;
  return `{"resourceType":"Bundle",${name},"type":"document","timestamp":"${timestamp}","entry":[${entries.join(',')}]}`;
}

/** The parameters that say at which page of an answer one is. */
export const POSITION: ReadonlySet<string> = new Set(['_cursor', '_offset']);

/**
 * JSON of FHIR has no empty arrays. The text is put together from its pieces once, when it is sent: nothing here may ask
 * for a part of it (6 % of the processor in searches).
 */
function writeBundle(
  type: string,
  total: number | undefined,
  links: PageLinks,
  entries: readonly string[],
): string {
  let text = `{"resourceType":"Bundle","type":"${type}"`;
  if (total !== undefined) text += `,"total":${total}`;
  const { address, used, next, previous } = links;
  text += `,"link":[${writeLink('self', address, used)}`;
  const others = used.filter(([name]) => !POSITION.has(name));
  if (others.length < used.length) text += `,${writeLink('first', address, others)}`;
  if (previous !== undefined)
    text += `,${writeLink('previous', address, [...others, ['_cursor', previous]])}`;
  if (next !== undefined) text += `,${writeLink('next', address, [...others, ['_cursor', next]])}`;
  text += ']';
  let before = ',"entry":[';
  for (const entry of entries) {
    text += before + entry;
    before = ',';
  }
  return entries.length === 0 ? `${text}}` : `${text}]}`;
}

function writeLink(relation: string, address: string, parameters: readonly Parameter[]): string {
  const query = formatParameters(parameters);
  return `{"relation":"${relation}","url":${JSON.stringify(query === '' ? address : `${address}?${query}`)}}`;
}

function writeSearchEntry(version: StoredVersion, root: string, mode: 'match' | 'include'): string {
  const { type, id, text, contained, match } = version;
  const part = contained === undefined ? '' : JSON.stringify(`#${contained.id}`).slice(1, -1);
  return `{"fullUrl":"${root}/${type}/${id}${part}","resource":${text},"search":{${match === undefined ? '' : writeGrade(match)}"mode":"${mode}"}}`;
}

/** How likely a match is (https://hl7.org/fhir/R4/extension-match-grade.html). */
function writeGrade({ score, grade }: NonNullable<StoredVersion['match']>): string {
  const extension = `{"url":"http://hl7.org/fhir/StructureDefinition/match-grade","valueCode":"${grade}"}`;
  return `"extension":[${extension}],"score":${score},`;
}

/** The first version is told as POST, or by PUT under the client's id; a later `create` brought a deleted resource back. */
function writeHistoryEntry(version: StoredVersion, root: string): string {
  const { type, id, versionId, change } = version;
  const resource = change === 'delete' ? '' : `"resource":${version.text},`;
  const isPost = change === 'create' && versionId === 1;
  const method = change === 'delete' ? 'DELETE' : isPost ? 'POST' : 'PUT';
  const status = change === 'create' || (change === 'update' && versionId === 1) ? '201' : '200';
  const lastModified = new Date(version.lastUpdated).toISOString().replace('Z', '+00:00');
  return (
    `{"fullUrl":"${root}/${type}/${id}",${resource}` +
    `"request":{"method":"${method}","url":"${isPost ? type : `${type}/${id}`}"},` +
    `"response":{"status":"${status}","etag":${JSON.stringify(toEntityTag(versionId))},"lastModified":"${lastModified}"}}`
  );
}
