/** The inputs of index rows besides the text of the resource and the hash key of the database. */
import { coreSetDigest } from '../fhir/definitions';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import { readFoldTable } from '../search/fold-table';

/** Raise it when index rows are made differently: base spaces are then rebuilt, tenants' rows need a reindex. */
export const ROWS_VERSION = 13;

/** Readable fingerprint of the indexing rules, by release; equal exactly if two processes make the same rows. */
export type RowRules = Readonly<Record<Release, string>>;

/** `ownAddresses`: the addresses below which absolute references are the server's own. */
export function rowRules(ownAddresses: readonly string[]): RowRules {
  const addresses = [...new Set(ownAddresses)].sort().join(' ');
  const ofRelease = (release: Release): string =>
    [
      `rows ${ROWS_VERSION}`,
      `fold table ${readFoldTable().version}`,
      `definitions ${coreSetDigest(release)}`,
      `own addresses ${addresses === '' ? 'none' : addresses}`,
    ].join(', ');
  return Object.fromEntries(RELEASE_NAMES.map((release) => [release, ofRelease(release)])) as RowRules;
}
