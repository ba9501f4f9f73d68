/** The refresh tokens of one grant: which may be used, and how often. */
import { toFamily, useToken, type RefreshFamily } from '../../src/core/storage/accounts/refresh-family';

const NOW = 1_800_000_000_000;
const SECOND = 1_000;
const FIRST = toFamily('a', null);

/** Uses tokens one after the other: each is [the token, the one that is issued for it, seconds since NOW]. */
const after = (uses: readonly (readonly [string, string, number?])[], family: RefreshFamily = FIRST) =>
  uses.reduce<RefreshFamily | undefined>(
    (known, [token, next, seconds = 0]) => known && useToken(known, token, next, NOW + seconds * SECOND),
    family,
  );
const may = (token: string, uses: readonly (readonly [string, string, number?])[], seconds = 0) =>
  after([...uses, [token, 'next', seconds]]) !== undefined;

it('a token is used once, and then its successor', () => {
  expect(after([['a', 'b']])).toMatchObject({ newest: 'b', unused: ['b'] });
  expect(
    after([
      ['a', 'b'],
      ['b', 'c', 300],
    ]),
  ).toMatchObject({ newest: 'c', unused: ['c'] });
});

it.each([
  [0, true],
  [10, true],
  [10.001, false],
])('a used token may be used again within ten seconds of its first use: after %s s %s', (seconds, is) => {
  expect(may('a', [['a', 'b']], seconds)).toBe(is);
  // The time begins with the first use, not with the last.
  expect(
    may(
      'a',
      [
        ['a', 'b'],
        ['a', 'c', 9],
      ],
      seconds,
    ),
  ).toBe(is);
});

it('a used token may be used three more times', () => {
  const thrice = [
    ['a', 'b'],
    ['a', 'c'],
    ['a', 'd'],
  ] as const;
  expect(may('a', thrice)).toBe(true);
  expect(may('a', [...thrice, ['a', 'e']])).toBe(false);
});

it('a token may not be used again once any of its successors was used', () => {
  for (const used of ['b', 'c'])
    expect(
      may('a', [
        ['a', 'b'],
        ['a', 'c'],
        [used, 'd'],
      ]),
    ).toBe(false);
});

it('the successors of a token that was used twice go on beside each other', () => {
  const family = after([
    ['a', 'b'],
    ['a', 'c'],
    ['b', 'd', 100],
    ['c', 'e', 200],
    ['d', 'f', 400],
  ]);
  expect(family?.unused).toEqual(['e', 'f']);
  // Each has its own time in which it may be used again.
  expect(
    after(
      [
        ['f', 'g', 700],
        ['e', 'h', 701],
        ['f', 'i', 702],
        ['e', 'j', 703],
      ],
      family,
    )?.unused,
  ).toEqual([...['g', 'h', 'i', 'j']]);
});

it('a family has at most four unused tokens: the one that was issued first ends', () => {
  let family: RefreshFamily | undefined = FIRST;
  let newest = 'a';
  // Each time the first answer is lost.
  for (let time = 0; time < 20; time += 1) {
    family = after(
      [
        [newest, `lost-${time}`, time * 300],
        [newest, `next-${time}`, time * 300 + 5],
      ],
      family,
    );
    newest = `next-${time}`;
  }
  expect(family?.unused).toEqual(['lost-17', 'lost-18', 'lost-19', 'next-19']);
  expect(family?.used.length).toBeLessThanOrEqual(4);
  expect(after([['lost-3', 'x', 6_000]], family)).toBeUndefined();
});

it('an unknown token may not be used', () => {
  expect(may('x', [['a', 'b']])).toBe(false);
  expect(may('x', [])).toBe(false);
});

it('what a program of the previous version has changed counts alone', () => {
  const stored =
    after([
      ['a', 'b'],
      ['a', 'c'],
    ]) ?? null;
  expect(toFamily('c', stored)).toBe(stored);
  const changed = toFamily('d', stored);
  expect(changed).toEqual({ newest: 'd', unused: ['d'], used: [] });
  for (const old of ['a', 'b', 'c']) expect(after([[old, 'x']], changed)).toBeUndefined();
});
