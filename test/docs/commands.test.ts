/** The pages do what they say: every block has its test, and a few pages are run. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readBlocks, type Block } from '../support/page-blocks';
import { faultsOf, isRun } from './block-rules';
import { PAGES, PAGES_OF_EACH_RUN, RUN_ELSEWHERE } from './pages';
import { testPages } from './run-pages';

const textOf = (file: string): string => readFileSync(path.resolve(__dirname, '..', '..', file), 'utf8');

it('every block of a page is run, or the page says that it is not', async () => {
  const pages = await Promise.all(PAGES.map(readBlocks));
  expect(pages.flatMap(faultsOf)).toEqual([]);
});

it.each(['use/start.md', 'use/front-end.md'])(
  'docs/%s prints the settings of graphql-codegen as they are, and checks the types of all that it prints',
  async (page) => {
    const blocks = (await readBlocks(page)).filter(isRun);
    const settings = textOf('examples/front-end/codegen.ts');
    expect(blocks.filter(({ text }) => text.startsWith('// codegen.ts\n')).map(({ text }) => text)).toEqual([
      settings,
    ]);
    const lastOf = (isMeant: (block: Block) => boolean): number => blocks.findLastIndex(isMeant);
    expect(lastOf(({ text }) => /^\$ npx tsc$/m.test(text))).toBeGreaterThan(
      lastOf(({ language }) => language === 'ts'),
    );
  },
);

it.each(Object.entries(RUN_ELSEWHERE))(
  'docs/%s and %s name each other, and each block',
  async (page, test) => {
    expect(textOf(`docs/${page}`)).toContain(`\`${test}\``);
    expect(textOf(test)).toContain(`'${page}'`);
    const run = (await readBlocks(page)).filter(isRun);
    expect(run.length).toBeGreaterThan(0);
    expect(run.filter(({ language }) => language !== 'sh')).toEqual([]);
    expect(run.filter(({ heading }) => !textOf(test).includes(`'${heading}'`))).toEqual([]);
  },
);

testPages(PAGES_OF_EACH_RUN);
