/** A chain alone gives the newest first, merged from what each of its targets is referred to by. */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

const PATIENTS = 5;
const OBSERVATIONS = 90;

let opened: OpenedCore;
let context: RequestContext;
const dates = new Map<string, string>();
beforeAll(async () => {
  opened = await openCore();
  context = await opened.context('system', 'r4');
  for (let number = 0; number < PATIENTS; number++)
    await put({ resourceType: 'Patient', id: `p${number}`, name: [{ family: 'Merged' }] });
  await put({ resourceType: 'Patient', id: 'another', name: [{ family: 'Else' }] });
  await Promise.all(
    Array.from({ length: OBSERVATIONS }, async (_, number) => {
      // Most of the newest belong to one patient; some dates are equal, and some are missing.
      const patient = number % 3 === 0 ? 0 : number % PATIENTS;
      const day = number % 3 === 0 ? 20 + (number % 7) : 1 + (number % 9);
      const date = number % 10 === 4 ? undefined : `2021-03-${String(day).padStart(2, '0')}`;
      if (number % 17 === 5) await observe(`x${number}`, 'another', '2022-01-01');
      else {
        await observe(`o${number}`, `p${patient}`, date);
        dates.set(`o${number}`, date ?? '');
      }
    }),
  );
});
afterAll(() => opened.close());

const put = (resource: { resourceType: string; id: string; [name: string]: unknown }): Promise<unknown> => {
  const { resourceType, id } = resource;
  const input = toResourceInput(JSON.stringify(resource), { maxDepth: 64 });
  return opened.core.update(context, resourceType, id, input);
};

const observe = (id: string, patient: string, date: string | undefined): Promise<unknown> =>
  put({
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { text: 'x' },
    subject: { reference: `Patient/${patient}` },
    ...(date === undefined ? {} : { effectiveDateTime: date }),
  });

async function pagesOf(parameters: readonly (readonly [string, string])[], count: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const further = cursor === undefined ? [] : [['_cursor', cursor] as const];
    const page = await opened.core.search(context, {
      type: 'Observation',
      parameters: [...parameters, ['_count', String(count)], ...further],
    });
    ids.push(...page.matches.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}

it.each([1, 2, 7, 40, 200])('each once, newest first, in pages of %d', async (count) => {
  const ids = await pagesOf([['subject:Patient.family', 'merged']], count);
  expect(ids.map((id) => dates.get(id))).toEqual([...dates.values()].sort().reverse());
  expect([...ids].sort()).toEqual([...dates.keys()].sort());
});

it.each(['date', '-date'])('sorted by %s, those without a date last', async (sort) => {
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

it('with its total, which is that of all targets', async () => {
  for (const [name, value] of [
    ['_total', 'accurate'],
    ['_summary', 'count'],
  ] as const) {
    const parameters = [
      ['subject:Patient.family', 'merged'],
      [name, value],
      ['_count', '3'],
    ] as const;
    const { total } = await opened.core.search(context, { type: 'Observation', parameters });
    expect(total).toBe(dates.size);
  }
});
