/** A search by a chain merges the resources that refer to each target, newest first, alone and with other criteria. */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const PATIENTS = 5;
const OBSERVATIONS = 90;

let opened: OpenedCore;
let context: RequestContext;
const dates = new Map<string, string>();
/** Those of `dates` that have the code that is asked for beside the chain. */
const coded = new Set<string>();
beforeAll(async () => {
  opened = await openCore({ environment: { SEARCH_EXPLAIN: 'on' } });
  context = await opened.context('system', 'r4');
  for (let number = 0; number < PATIENTS; number++)
    await put({ resourceType: 'Patient', id: `p${number}`, name: [{ family: 'Merged' }] });
  await put({ resourceType: 'Patient', id: 'another', name: [{ family: 'Else' }] });
  await put({ resourceType: 'Location', id: 'place', name: 'Merged' });
  await Promise.all(
    Array.from({ length: OBSERVATIONS }, async (_, number) => {
      // Most of the newest belong to one patient; some dates are equal, and some are missing.
      const patient = number % 3 === 0 ? 0 : number % PATIENTS;
      const day = number % 3 === 0 ? 20 + (number % 7) : 1 + (number % 9);
      const date = number % 10 === 4 ? undefined : `2021-03-${String(day).padStart(2, '0')}`;
      const code = number % 4 === 1 ? 'asked' : 'other';
      if (number % 17 === 5) await observe(`x${number}`, 'Patient/another', '2022-01-01', 'asked');
      else {
        await observe(`o${number}`, `Patient/p${patient}`, date, code);
        dates.set(`o${number}`, date ?? '');
        if (code === 'asked') coded.add(`o${number}`);
      }
    }),
  );
  await observe('placed', 'Location/place', '2021-03-22', 'asked');
});
afterAll(() => opened.close());

const put = (resource: { resourceType: string; id: string; [name: string]: unknown }): Promise<unknown> => {
  const { resourceType, id } = resource;
  const input = toResourceInput(JSON.stringify(resource), { maxDepth: 64 });
  return opened.core.interactions.update(context, { type: resourceType, id, input });
};

const observe = (id: string, subject: string, date: string | undefined, code: string): Promise<unknown> =>
  put({
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ code }] },
    subject: { reference: subject },
    ...(date === undefined ? {} : { effectiveDateTime: date }),
  });

async function pagesOf(parameters: readonly (readonly [string, string])[], count: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const further = cursor === undefined ? [] : [['_cursor', cursor] as const];
    const page = await opened.core.interactions.search(context, {
      type: 'Observation',
      parameters: [...parameters, ['_count', String(count)], ...further],
    });
    ids.push(...page.matches.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}

it.each([1, 2, 7, 40, 200])(
  'a chain finds each resource once, newest first, in pages of %d',
  async (count) => {
    const ids = await pagesOf([['subject:Patient.family', 'merged']], count);
    expect(ids.map((id) => dates.get(id))).toEqual([...dates.values()].sort().reverse());
    expect([...ids].sort()).toEqual([...dates.keys()].sort());
  },
);

it.each(['date', '-date'])('a chain sorted by %s returns resources without a date last', async (sort) => {
  const ids = await pagesOf(
    [
      ['subject:Patient.family', 'merged'],
      ['_sort', sort],
    ],
    6,
  );
  const dated = [...dates.values()].filter((date) => date !== '').sort();
  const ordered = sort === 'date' ? dated : dated.reverse();
  expect(ids.map((id) => dates.get(id)).filter((date) => date !== '')).toEqual(ordered);
  expect([...ids].sort()).toEqual([...dates.keys()].sort());
  expect(ids.slice(ordered.length).every((id) => dates.get(id) === '')).toBe(true);
});

it('the total of a chain counts the resources of all targets', async () => {
  for (const [name, value] of [
    ['_total', 'accurate'],
    ['_summary', 'count'],
  ] as const) {
    const parameters = [
      ['subject:Patient.family', 'merged'],
      [name, value],
      ['_count', '3'],
    ] as const;
    const { total } = await opened.core.interactions.search(context, { type: 'Observation', parameters });
    expect(total).toBe(dates.size);
  }
});

const BESIDE: readonly (readonly [string, string])[] = [
  ['subject:Patient.family', 'merged'],
  ['code', 'asked'],
];

it.each([
  [1, '-date'],
  [3, 'date'],
  [7, '-date'],
  [200, 'date'],
])('a chain with a code finds each match once, in pages of %d sorted by %s', async (count, sort) => {
  const ids = await pagesOf([...BESIDE, ['_sort', sort]], count);
  const dated = [...coded].map((id) => dates.get(id) ?? '').filter((date) => date !== '');
  const ordered = sort === 'date' ? dated.sort() : dated.sort().reverse();
  expect(ids.map((id) => dates.get(id)).filter((date) => date !== '')).toEqual(ordered);
  expect([...ids].sort()).toEqual([...coded].sort());
});

it.each([
  ['code', 'asked', 'the resources that refer to each target of a chain are merged in order'],
  ['date', 'ge2021-03-05', 'the resources that refer to each target of a chain are merged in order'],
])('a chain to several types is combined with %s by the expected access path', async (name, value, way) => {
  const parameters = [
    ['subject.name', 'merged'],
    [name, value],
    ['_explain', 'true'],
  ] as const;
  const { issues } = await opened.core.interactions.search(context, { type: 'Observation', parameters });
  const dated = [...dates.keys()].filter((id) => (dates.get(id) ?? '') >= '2021-03-05');
  const all = [...(name === 'code' ? coded : dated), 'placed'].sort();
  const ids = await pagesOf(parameters.slice(0, 2), 4);
  expect([...ids].sort()).toEqual(all);
  const plans = issues.filter(({ diagnostics }) => diagnostics.startsWith('Plan for Observation'));
  expect(plans).toHaveLength(1);
  expect(plans[0]?.diagnostics).toContain(way);
});

describe('a chain with many targets and a frequent code', () => {
  const CODES = ['counted', 'second'];
  const expected = new Map<string, string>();
  beforeAll(async () => {
    await Promise.all(
      Array.from({ length: 36 }, async (_, number) => {
        await put({ resourceType: 'Patient', id: `m${number}`, name: [{ family: 'Many' }] });
        for (const code of CODES) {
          const date = number % 9 === 4 ? undefined : `2020-0${1 + (number % 3)}-01`;
          await observe(`m${number}${code}`, `Patient/m${number}`, date, code);
          expected.set(`m${number}${code}`, date ?? '');
        }
      }),
    );
    // Before and after all of those, in either order: they fill what is looked up first.
    await Promise.all(
      Array.from({ length: 90 }, (_, number) =>
        observe(`n${number}`, 'Patient/another', number % 3 === 0 ? '2019-05-05' : '2021-05-05', 'counted'),
      ),
    );
  });

  const explained = async (parameters: readonly (readonly [string, string])[]): Promise<string> => {
    const asked = { type: 'Observation', parameters: [...parameters, ['_explain', 'true']] } as const;
    const { issues } = await opened.core.interactions.search(context, asked);
    return issues.map(({ diagnostics }) => diagnostics).join('\n');
  };

  it('is planned by the counts of some of its targets', async () => {
    const told = await explained([
      ['subject:Patient.family', 'many'],
      ['code', 'second'],
    ]);
    // Sixteen of them at most, which are twelve at equal distances.
    expect(told).toMatch(/distance/);
    expect(told).toContain('has about 72 index rows');
  });

  it.each([
    [1, '-date', 'counted'],
    [4, 'date', 'counted'],
    [3, '-date', 'counted,second'],
    [50, 'date', 'counted,second'],
    [9, '-date', 'second,absent'],
  ])('finds each match once, in pages of %d sorted by %s with the codes %s', async (count, sort, codes) => {
    const asked = [
      ['subject:Patient.family', 'many'],
      ['code', codes],
      ['status', 'final'],
      ['_sort', sort],
    ] as const;
    expect(await explained([...asked, ['_count', String(count)]])).toContain(
      'the resources that refer to each target of a chain are merged in order',
    );
    const all = [...expected.keys()].filter((id) => codes.split(',').some((code) => id.endsWith(code)));
    const ids = await pagesOf(asked, count);
    expect([...ids].sort()).toEqual(all.sort());
    const dated = all.map((id) => expected.get(id) ?? '').filter((date) => date !== '');
    const ordered = sort === 'date' ? dated.sort() : dated.sort().reverse();
    expect(ids.map((id) => expected.get(id)).filter((date) => date !== '')).toEqual(ordered);
    const { total } = await opened.core.interactions.search(context, {
      type: 'Observation',
      parameters: [...asked, ['_total', 'accurate'], ['_count', '1']],
    });
    expect(total).toBe(all.length);
  });
});
