/** Pages from the end to the beginning are those from the beginning to the end, in every order that a search can have. */
import type { RequestContext, SearchPage, SearchRequest } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { TESTED_RELEASES } from '../../support/releases';

type Parameters = SearchRequest['parameters'];

const SIZE = 4;
const ORDERS = [
  '',
  '_sort=-date',
  '_sort=_lastUpdated',
  '_sort=-_id',
  '_sort=value-quantity',
  '_sort=-value-quantity',
  '_sort=-value-string',
  '_sort=code',
  '_sort=-value-quantity,status',
  '_sort=status,-date,_id',
  '_sort=value-string,-_id',
  'status=final&_sort=date',
  'subject:Patient.name=ann',
  'subject:Patient.name=ann&_sort=date',
  'status:not=final&_sort=-value-quantity,code',
  'date=ge2000&_sort=-date',
  'value-quantity=gt1',
  '_lastUpdated=ge2020',
];

const pick = <T>(of: readonly T[], index: number): T => of[(index * 7 + (index >> 2)) % of.length] as T;

function observation(index: number): object {
  const quantity = pick([undefined, 1, 1.5, 1.5, 2, 20, -3], index);
  const text = pick(['before', 'b', undefined, 'a', 'a'], index);
  const date = pick(['2020', '2020-03', undefined, '2021-05-06', '2021-05-06T10:00:00Z', undefined], index);
  return {
    resourceType: 'Observation',
    id: `o${index}`,
    status: pick(['final', 'amended', 'final'], index),
    subject: { reference: `Patient/${pick(['ann', 'ann', 'bob'], index)}` },
    code: { coding: [{ code: pick(['x', 'y', 'z'], index) }] },
    ...(date === undefined ? {} : { effectiveDateTime: date }),
    ...(quantity !== undefined
      ? { valueQuantity: { value: quantity } }
      : text === undefined
        ? {}
        : { valueString: text }),
  };
}

let opened: OpenedCore;
beforeAll(async () => {
  opened = await openCore();
});
afterAll(() => opened.close());

describe.each(TESTED_RELEASES)('the pages of a search in %s', (release) => {
  let context: RequestContext;
  beforeAll(async () => {
    context = await opened.context('system', release);
    const entry: { resource: object; request: object }[] = Array.from({ length: 14 }, (_, index) => ({
      resource: observation(index),
      request: { method: 'PUT', url: `Observation/o${index}` },
    }));
    for (const id of ['ann', 'bob']) {
      const resource = { resourceType: 'Patient', id, name: [{ family: 'Ann' }], active: true };
      entry.push({ resource, request: { method: 'PUT', url: `Patient/${id}` } });
    }
    const text = JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry });
    await opened.core.interactions.bundle(context, { input: { text } });
  });

  const search = (
    type: string,
    parameters: Parameters,
    further: Partial<SearchRequest> = {},
  ): Promise<SearchPage> =>
    opened.core.interactions.search(context, { type, parameters, bothWays: true, ...further });
  const idsOf = ({ matches }: SearchPage): string[] => matches.map(({ id }) => id);

  /** Goes forward to the end, back to the beginning, and back from the last page. */
  async function walk(
    type: string,
    query: string,
    size = SIZE,
    further: Partial<SearchRequest> = {},
  ): Promise<string[]> {
    const asked: Parameters = [...new URLSearchParams(query), ['_count', String(size)]];
    const at = (cursor: string): Promise<SearchPage> =>
      search(type, [...asked, ['_cursor', cursor]], further);
    const first = await search(type, asked, further);
    const pages = [first];
    for (let page = first; page.next !== undefined; pages.push(page)) page = await at(page.next);
    const forward = pages.map(idsOf);
    expect([query, first.previous]).toEqual([query, undefined]);
    const back = [idsOf(pages.at(-1) ?? first)];
    let page = pages.at(-1) ?? first;
    while (page.previous !== undefined) {
      page = await at(page.previous);
      back.unshift(idsOf(page));
      // And there is a way on from it.
      if (page.next === undefined) throw new Error(`${query}: a page before another has no next one`);
      expect([query, idsOf(await at(page.next))]).toEqual([query, back[1]]);
    }
    expect([query, back]).toEqual([query, forward]);
    const all = forward.flat();
    page = await at(first.last ?? '');
    expect([query, page.next]).toEqual([query, undefined]);
    const fromEnd = idsOf(page);
    while (page.previous !== undefined) {
      page = await at(page.previous);
      fromEnd.unshift(...idsOf(page));
    }
    expect([query, fromEnd]).toEqual([query, all]);
    return all;
  }

  it('are the same in both directions for each sort order', async () => {
    for (const query of ORDERS) {
      const all = await walk('Observation', query);
      if (all.length <= SIZE) throw new Error(`${query} has one page`);
      const whole = await search('Observation', [...new URLSearchParams(query), ['_count', '100']]);
      expect([query, all]).toEqual([query, idsOf(whole)]);
    }
  });

  it('are the same for base conformance resources and for a past moment', async () => {
    expect((await walk('CompartmentDefinition', '', 2)).length).toBeGreaterThan(1);
    await walk('Observation', '_sort=-date', SIZE, { asOf: Date.now() });
  });

  it('include resources that were inserted meanwhile and skip deleted ones', async () => {
    const write = (id: string): Promise<unknown> =>
      opened.core.interactions.update(context, {
        type: 'Basic',
        id,
        input: {
          text: `{"resourceType":"Basic","id":"${id}","code":{"text":"x"}}`,
        },
      });
    for (const id of ['b', 'd', 'e', 'f', 'g']) await write(id);
    const asked: Parameters = [['_sort', '_id'], ['_count', '2']]; // prettier-ignore
    const first = await search('Basic', asked);
    const second = await search('Basic', [...asked, ['_cursor', first.next ?? '']]);
    expect([idsOf(first), idsOf(second)]).toEqual([['b', 'd'], ['e', 'f']]); // prettier-ignore
    await write('c');
    await opened.core.interactions.delete(context, 'Basic', 'd');
    const back = await search('Basic', [...asked, ['_cursor', second.previous ?? '']]);
    expect([idsOf(back), back.previous]).toEqual([['b', 'c'], undefined]);
  });

  it('have no links to other pages unless requested, and a cursor is valid only for its search', async () => {
    const asked: Parameters = [['_sort', 'date'], ['_count', '2']]; // prettier-ignore
    const { next, last } = await search('Observation', asked);
    const plain = await opened.core.interactions.search(context, {
      type: 'Observation',
      parameters: [...asked, ['_cursor', next ?? '']],
    });
    expect([plain.previous, plain.last]).toEqual([undefined, undefined]);
    const other = search('Observation', [['_sort', '-date'], ['_cursor', last ?? '']]); // prettier-ignore
    await expect(other).rejects.toMatchObject({ key: 'invalidCursor' });
  });
});
