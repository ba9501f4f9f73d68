/** `code=…&_sort=value-quantity`: rows of composites lie in the order under each code, and nothing is left out of it. */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { TESTED_RELEASES } from '../../support/releases';

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore({ environment: { SEARCH_EXPLAIN: 'on' } });
});
afterAll(() => opened.close());

const UNIT = { system: 'http://unitsofmeasure.org', code: 'mg' };
const CODINGS: readonly (readonly object[])[] = [
  [{ system: 'urn:s', code: 'a' }],
  [{ system: 'urn:s', code: 'A' }, { code: 'b' }],
  [{ code: 'a' }],
  [
    { system: 'urn:t', code: 'a' },
    { system: 'urn:s', code: 'a', display: 'once more' },
  ],
  [{ system: 'urn:s', code: 'c' }],
];
const sampled = (data: string): object => ({
  valueSampledData: { origin: { value: 2, ...UNIT }, period: 1, dimensions: 1, data },
});
const quantity = (value: number, more: object = {}): object => ({
  valueQuantity: { value, ...UNIT, ...more },
});
const VALUES: readonly object[] = [
  quantity(3),
  quantity(3),
  quantity(-1.5),
  quantity(4, { comparator: '>' }),
  quantity(4),
  quantity(4, { comparator: '<' }),
  sampled('1 2 7'),
  sampled('2 2'),
  {},
  { valueString: 'x' },
  { valueDateTime: '2020-02' },
  { valueDateTime: '2020-02-03' },
  { valuePeriod: { start: '2019' } },
  { valuePeriod: { end: '2019' } },
];

async function put(context: RequestContext, id: string, more: object): Promise<void> {
  const resource = { resourceType: 'Observation', id, ...more };
  const input = toResourceInput(JSON.stringify(resource), { maxDepth: 64 });
  await opened.core.interactions.update(context, { type: 'Observation', id, input });
}

describe.each(TESTED_RELEASES)('a sorted search by code in %s', (release) => {
  let context: RequestContext;
  beforeAll(async () => {
    context = await opened.context('system', release);
    await Promise.all(
      CODINGS.flatMap((coding, which) =>
        VALUES.map((value, place) => {
          const status = place % 3 === 0 ? 'final' : 'amended';
          return put(context, `o${which}-${place}`, { status, code: { coding }, ...value });
        }),
      ),
    );
  });

  async function idsOf(parameters: readonly (readonly [string, string])[], count: number): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await opened.core.interactions.search(context, {
        type: 'Observation',
        parameters: [
          ...parameters,
          ['_count', String(count)],
          ...(cursor === undefined ? [] : [['_cursor', cursor] as const]),
        ],
      });
      ids.push(...page.matches.map(({ id }) => id));
      cursor = page.next;
    } while (cursor !== undefined);
    return ids;
  }

  it.each([
    ['value-quantity', 3],
    ['-value-quantity', 4],
    ['value-date', 5],
    ['-value-date', 1000],
  ])(
    'sorted by %s returns its matches in the order of all resources, in pages of %d',
    async (sort, count) => {
      const all = await idsOf([['_sort', sort]], 1000);
      expect(all).toHaveLength(CODINGS.length * VALUES.length);
      for (const criteria of [
        [['code', 'a']],
        [['code', 'urn:s|a']],
        [['code', '|a']],
        [['code', 'a,urn:s|C,b']],
        [
          ['code', 'urn:s|a'],
          ['status', 'final'],
        ],
      ] as const) {
        const met = new Set(await idsOf(criteria, 1000));
        expect(met.size).toBeGreaterThan(4);
        expect([criteria, await idsOf([...criteria, ['_sort', sort]], count)]).toEqual([
          criteria,
          all.filter((id) => met.has(id)),
        ]);
      }
    },
  );

  it('scans the index of a composite parameter', async () => {
    for (const sort of ['value-quantity', '-value-date']) {
      const parameters = [
        ['code', 'urn:s|a'],
        ['_sort', sort],
        ['_explain', 'true'],
      ] as const;
      const { issues } = await opened.core.interactions.search(context, { type: 'Observation', parameters });
      const plans = issues.filter(({ diagnostics }) => diagnostics.startsWith('Plan for Observation'));
      expect(plans[0]?.diagnostics).toContain('the rows of a composite under each code of one parameter');
    }
  });

  it('does not find values that the composite excludes', async () => {
    const found = async (name: string, value: string): Promise<number> =>
      (await idsOf([[name, value]], 1000)).filter((id) => /-[67]$/.test(id)).length;
    expect(await found('code-value-quantity', 'a$gt-100')).toBe(0);
    expect(await found('_filter', 'code-value-quantity pr false')).toBe(2 * CODINGS.length);
    expect(await found('value-quantity', 'gt-100')).toBe(2 * CODINGS.length);
  });
});
