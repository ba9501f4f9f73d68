import { STATUS_CODES } from 'node:http';
import {
  type BundleAnswer,
  type EntryAnswer,
  formatInstant,
  type HistoryPage,
  type StoredVersion,
  toOutcome,
} from '../core/index';
import { toResultText } from './page-bundle';

/**
 * Returns the Bundle of a transaction response (http://hl7.org/fhir/R4/http.html#transaction-response). Its addresses
 * are relative to the FHIR root: `Patient/1/_history/3`.
 */
export function toResponseText({ type, entries }: BundleAnswer): string {
  const list = entries.length === 0 ? '' : `,"entry":[${entries.map(toEntry).join(',')}]`;
  return `{"resourceType":"Bundle","type":"${type}-response"${list}}`;
}

function toEntry(answer: EntryAnswer): string {
  switch (answer.kind) {
    case 'written': {
      const { version, created, warnings } = answer.result;
      const outcome = warnings.length === 0 ? '' : `,"outcome":${toOutcome(warnings)}`;
      return ofVersion(version, created ? 201 : 200, outcome);
    }
    case 'found':
      return ofVersion(answer.version, 200);
    case 'deleted': {
      const [version, other] = answer.versions;
      return `{${responseOf(204, other === undefined ? version : undefined)}}`;
    }
    case 'read': {
      const { version, isHead, isUnchanged } = answer;
      const status = isUnchanged ? 304 : 200;
      return isHead || isUnchanged ? `{${responseOf(status, version)}}` : ofVersion(version, status);
    }
    case 'search':
      return ofText(toResultText({ page: answer.page }), answer.isHead);
    case 'history':
      return ofText(toHistory(answer.page), answer.isHead);
    case 'invoked':
      return 'stored' in answer.result
        ? ofVersion(answer.result.stored.version, 200)
        : ofText(toResultText(answer.result), answer.isHead);
    case 'resource':
      return ofText(answer.text, answer.isHead);
    case 'failed':
      // Only a batch has failed entries.
      return `{${responseOf(answer.error.status, undefined, `,"outcome":${toOutcome(answer.error.issues)}`)}}`;
  }
}

function ofVersion(version: StoredVersion, status: number, more = ''): string {
  return `{"resource":${version.text},${responseOf(status, version, more)}}`;
}

function ofText(text: string, isHead: boolean): string {
  return isHead ? `{${responseOf(200)}}` : `{"resource":${text},${responseOf(200)}}`;
}

function responseOf(status: number, version?: StoredVersion, more = ''): string {
  let text = `"response":{"status":"${status} ${STATUS_CODES[status] ?? ''}"`;
  if (version !== undefined) {
    const { type, id, versionId, lastUpdated } = version;
    text += `,"location":"${type}/${id}/_history/${versionId}","etag":"W/\\"${versionId}\\""`;
    text += `,"lastModified":"${formatInstant(lastUpdated)}"`;
  }
  return `${text}${more}}`;
}

const METHODS = { create: 'POST', update: 'PUT', delete: 'DELETE' } as const;

function toHistory({ versions, total, next }: HistoryPage): string {
  const entries = versions.map((version) => {
    const { type, id, change } = version;
    const request = `"request":{"method":"${METHODS[change]}","url":"${change === 'create' ? type : `${type}/${id}`}"}`;
    const resource = change === 'delete' ? '' : `"resource":${version.text},`;
    const status = change === 'delete' ? 204 : version.versionId === 1 ? 201 : 200;
    return `{${resource}${request},${responseOf(status, version)}}`;
  });
  let text = '{"resourceType":"Bundle","type":"history"';
  if (total !== undefined) text += `,"total":${total}`;
  if (next !== undefined) text += `,"link":[{"relation":"next","url":"?_cursor=${next}"}]`;
  if (entries.length > 0) text += `,"entry":[${entries.join(',')}]`;
  return `${text}}`;
}
