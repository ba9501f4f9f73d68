import type { HistoryPage } from '../api/history';
import type { InvocationResult } from '../api/operation';
import type { SearchPage } from '../api/search';
import type { StoredVersion } from '../api/version';
import type { RequestContext } from '../context';

/** Characters of the texts of a page. */
export function sizeOfPage(page: SearchPage | HistoryPage): number {
  if ('versions' in page) return sumOf(page.versions);
  return sumOf(page.matches) + sumOf(page.included);
}

/** Characters of the texts that an operation answers. */
export function sizeOfResult(result: InvocationResult): number {
  if ('text' in result) return result.text.length;
  return 'document' in result ? sumOf(result.document.versions) : sizeOfPage(result.page);
}

/** Counts what was read for a request. Throws `memoryFull`, and `tooCostly` where there is never so much room. */
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
