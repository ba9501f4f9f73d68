import { STATUS_CODES } from 'node:http';
import {
  formatInstant,
  toOutcome,
  type BundleAnswer,
  type EntryAnswer,
  type Issue,
  type StoredVersion,
} from '../../core';
import { writeHistory, writeSearchset } from '../bundle';
import { writeOperationResult } from './operation-result';
import { toEntityTag } from './entity-tag';
import type { Preference } from '../requests/prefer';
import { deletionIssue, foundIssue, locationOf, writtenIssues } from './written';

/** A text in pieces. Each resource is a piece by itself, so that it is not copied before it is encoded. */
type Pieces = readonly string[];

/** A resource in an entry, and the text before it. */
type EntryResource = readonly [start: string, resource: string];

/**
 * Returns the Bundle of a batch or transaction response (https://hl7.org/fhir/R4/http.html#transaction-response), in
 * pieces. `root` is `{fhir_root}`. An entry has its resource unless `return=minimal`, and an outcome where there are
 * issues.
 */
export function writeBundleResponse(
  { type, entries }: BundleAnswer,
  root: string,
  wanted: Preference['answer'],
): Pieces {
  const pieces = [`{"resourceType":"Bundle","type":"${type}-response"`];
  entries.forEach((entry, at) => {
    pieces.push(at === 0 ? ',"entry":[' : ',', ...writeEntry(entry, root, wanted));
  });
  pieces.push(entries.length === 0 ? '}' : ']}');
  return pieces;
}

function writeEntry(entry: EntryAnswer, root: string, wanted: Preference['answer']): Pieces {
  switch (entry.kind) {
    case 'written': {
      const { version, created, warnings } = entry.result;
      const issues = wanted === 'OperationOutcome' ? writtenIssues(entry.result, 'stored') : warnings;
      const status = created ? 201 : 200;
      const location = created ? locationOf(root, version) : undefined;
      return join(resourceOf(version, root, wanted), writeResponse({ status, location, version, issues }));
    }
    case 'found': {
      const { version } = entry;
      return join(
        resourceOf(version, root, wanted),
        writeResponse({
          status: 200,
          location: locationOf(root, version),
          version,
          ...(wanted === 'OperationOutcome' ? { issues: [foundIssue(version)] } : {}),
        }),
      );
    }
    case 'deleted': {
      const { versions } = entry;
      const version = versions.length === 1 ? versions[0] : undefined;
      if (wanted === 'minimal') return join(undefined, writeResponse({ status: 204, version }));
      return join(undefined, writeResponse({ status: 200, version, issues: [deletionIssue(entry)] }));
    }
    case 'read': {
      const { version, isHead, isUnchanged } = entry;
      const resource = isHead || isUnchanged ? undefined : resourceOf(version, root, 'representation');
      return join(resource, writeResponse({ status: isUnchanged ? 304 : 200, version }));
    }
    case 'search': {
      const { page, path } = entry;
      const links = { address: addressOf(root, path), used: page.used, next: page.next };
      return writeFound(writeSearchset(page, root, links), entry.isHead);
    }
    case 'history': {
      const { page, path, query } = entry;
      const used = query.filter(([, value]) => value !== '');
      const links = { address: addressOf(root, path), used, next: page.next };
      return writeFound(writeHistory(page, root, links), entry.isHead);
    }
    case 'invoked':
      if ('stored' in entry.result) {
        const { version, warnings } = entry.result.stored;
        const location = locationOf(root, version);
        const resource = resourceOf(version, root, 'representation');
        return join(resource, writeResponse({ status: 200, location, version, issues: warnings }));
      }
      return writeFound(
        writeOperationResult(entry.result, root, addressOf(root, entry.path), []),
        entry.isHead,
      );
    case 'resource':
      return writeFound(entry.text, entry.isHead);
    case 'failed': {
      const { status, issues } = entry.error;
      return join(undefined, writeResponse({ status, issues }));
    }
  }
}

function addressOf(root: string, path: string): string {
  return path === '' ? root : `${root}/${path}`;
}

/** Writes a response entry without an address. */
function writeFound(text: string, isHead: boolean): Pieces {
  return join(isHead ? undefined : ['"resource":', text], writeResponse({ status: 200 }));
}

function resourceOf(
  version: StoredVersion,
  root: string,
  wanted: Preference['answer'],
): EntryResource | undefined {
  if (wanted !== 'representation') return undefined;
  return [`"fullUrl":"${root}/${version.type}/${version.id}","resource":`, version.text];
}

function join(found: EntryResource | undefined, response: string): Pieces {
  if (found === undefined) return [`{${response}}`];
  const [start, resource] = found;
  return [`{${start}`, resource, `,${response}}`];
}

interface Response {
  readonly status: number;
  readonly location?: string | undefined;
  readonly version?: StoredVersion | undefined;
  readonly issues?: readonly Issue[];
}

/** Writes `Bundle.entry.response`, without absent members. */
function writeResponse({ status, location, version, issues = [] }: Response): string {
  let text = `"response":{"status":"${status} ${STATUS_CODES[status] ?? ''}"`;
  if (location !== undefined) text += `,"location":"${location}"`;
  if (version !== undefined) {
    text += `,"etag":${JSON.stringify(toEntityTag(version.versionId))}`;
    text += `,"lastModified":"${formatInstant(version.lastUpdated)}"`;
  }
  if (issues.length > 0) text += `,"outcome":${toOutcome(issues)}`;
  return `${text}}`;
}
