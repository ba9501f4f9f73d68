/** The inputs of index rows besides the text of the resource and the hash key of the database. */
import { coreSetDigest } from '../../fhir/definitions';
import { RELEASE_NAMES, type Release } from '../../fhir/release';
import { readFoldTable } from '../rows/fold-table';

/** Raise it when index rows are made differently: base spaces are then rebuilt, tenants' rows need a reindex. */
export const ROWS_VERSION = 14;

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

/** The change by an operator or an upgrade behind a different part of the fingerprint, by the beginning of the part. */
const CHANGED: Readonly<Record<string, string>> = {
  'own addresses ': 'another PUBLIC_URL, HOST or PORT',
  'definitions ': 'other definitions of FHIR',
  'rows ': 'the indexing rules of another version of the program',
  'fold table ': 'the indexing rules of another version of the program',
};

/**
 * Returns in words how the rules that have made rows differ from those of this process.
 *
 * @param madeWith fingerprints of one release each, which may be of several joined by `; `
 */
export function describeDifferences(madeWith: readonly string[], now: RowRules): readonly string[] {
  const current = new Set(Object.values(now).flatMap((rule) => rule.split(', ')));
  const different = madeWith
    .flatMap((joined) => joined.split(/; |, /))
    .filter((part) => !current.has(part))
    .map((part) => {
      const [, words = 'other indexing rules'] =
        Object.entries(CHANGED).find(([start]) => part.startsWith(start)) ?? [];
      return words;
    });
  return [...new Set(different)].sort();
}
