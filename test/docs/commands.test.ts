/** The pages for users do what they say. */
import { readBlocks } from '../support/page-blocks';
import { faultsOf } from './block-rules';
import { PAGES, SLOW_PAGES, testPages } from './run-pages';

it('every block of a page for users is run, or the page says that it is not', async () => {
  const pages = await Promise.all(PAGES.map(readBlocks));
  expect(pages.flatMap(faultsOf)).toEqual([]);
});

testPages(PAGES.filter((page) => !SLOW_PAGES.includes(page)));
