import { compareTexts } from '../../../src/core/search/sort/compare-texts';

/** As PostgreSQL's collation "C" has them, which compares UTF-8. */
const byBytes = (one: string, other: string): number =>
  Math.sign(Buffer.compare(Buffer.from(one), Buffer.from(other)));

it('texts are ordered by code points, also those beyond U+FFFF', () => {
  const texts = [
    '',
    'a',
    'ab',
    'b',
    'é',
    '\u{d7ff}',
    '\u{e000}',
    '\u{ff5e}',
    '\u{10400}',
    'a\u{10400}',
    'a\u{ffee}',
    '\u{1f600}b',
  ];
  for (const one of texts)
    for (const other of texts)
      expect([one, other, Math.sign(compareTexts(one, other))]).toEqual([one, other, byBytes(one, other)]);
});
