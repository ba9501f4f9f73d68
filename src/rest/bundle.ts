import type { HistoryPage, SearchPage, StoredVersion } from '../core';
import { toOutcome } from '../core';
import { toEntityTag } from './responses/entity-tag';
import { formatParameters, type Parameter } from './requests/query';

/** The links of a Bundle: `address` without a query, and the parameters of this page. */
export interface PageLinks {
  readonly address: string;
  readonly used: readonly Parameter[];
  /** Value of `_cursor` of the next page. */
  readonly next: string | undefined;
  /** Value of `_cursor` of the previous page. */
  readonly previous?: string | undefined;
}

/**
 * Returns a searchset Bundle (https://hl7.org/fhir/R4/bundle.html#searchset) by joining the stored texts; nothing is
 * parsed. `root` is `{fhir_root}`. Order: matches, included, then the outcome.
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
 * Returns a history Bundle (https://hl7.org/fhir/R4/http.html#history), newest first. Each entry has the request that
 * made the version; a deletion has no resource.
 */
export function writeHistory(page: HistoryPage, root: string, links: PageLinks): string {
  const entries = page.versions.map((version) => writeHistoryEntry(version, root));
  return writeBundle('history', page.total, links, entries);
}

/** The parameters that define the position of a page. */
export const POSITION: ReadonlySet<string> = new Set(['_cursor', '_offset']);

/**
 * FHIR's JSON has no empty arrays. V8 joins the pieces of the text once, when it is sent. Code here must not read parts
 * of it, which would join it earlier (6 % of the processor in searches).
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

/** Writes the grade of a match (https://hl7.org/fhir/R4/extension-match-grade.html). */
function writeGrade({ score, grade }: NonNullable<StoredVersion['match']>): string {
  const extension = `{"url":"http://hl7.org/fhir/StructureDefinition/match-grade","valueCode":"${grade}"}`;
  return `"extension":[${extension}],"score":${score},`;
}

/**
 * Writes the entry of a version. The first version is a POST, or a PUT under the client's id; a later `create` restored
 * a deleted resource.
 */
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
