import type { HistoryPage } from '../api/history';
import type { InvocationResult } from '../api/operation';
import type { SearchPage } from '../api/search';
import type { StoredVersion } from '../storage/read/stored-version';
import type { RequestContext } from '../context';

/** Returns the total length of the texts of a page, in characters. */
export function sizeOfPage(page: SearchPage | HistoryPage): number {
  if ('versions' in page) return sumOf(page.versions);
  return sumOf(page.matches) + sumOf(page.included);
}

/** Returns the total length of the texts of an operation's result, in characters. */
export function sizeOfResult(result: InvocationResult): number {
  if ('text' in result) return result.text.length;
  if ('stored' in result) return result.stored.version.text.length;
  return 'document' in result ? sumOf(result.document.versions) : sizeOfPage(result.page);
}

/**
 * Counts a version that was read for a request. Throws `memoryFull`, and `tooCostly` where the memory limit can never
 * hold it.
 */
export function countVersion({ bytes }: RequestContext, version: StoredVersion): StoredVersion {
  bytes?.addAnswer(version.text.length);
  return version;
}

/** As `countVersion`. */
export function countPage<Page extends SearchPage | HistoryPage>(
  { bytes }: RequestContext,
  page: Page,
): Page {
  bytes?.addAnswer(sizeOfPage(page));
  return page;
}

function sumOf(versions: readonly { readonly text: string }[]): number {
  let sum = 0;
  for (const { text } of versions) sum += text.length;
  return sum;
}
