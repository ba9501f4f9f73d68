/** A resource with several matching index rows is one match over all pages; strings are found by parts of any length. */
import { toResourceInput, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';

let opened: OpenedCore;
let context: RequestContext;
beforeAll(async () => {
  opened = await openCore();
  context = await opened.context('system', 'r4');
  for (let number = 0; number < 7; number++) {
    // All of the first rows are those of one resource.
    await put({
      resourceType: 'Observation',
      id: `o${number}`,
      status: 'final',
      code: { text: 'panel' },
      component: Array.from({ length: number % 2 === 0 ? 40 : 1 }, (_, place) => ({
        code: { coding: [{ code: 'part' }] },
        valueQuantity: { value: 10 + place },
      })),
    });
    await put({ resourceType: 'Patient', id: `p${number}`, name: [{ family: `A${number}xQz` }] });
  }
  await put({ resourceType: 'Patient', id: 'other', name: [{ family: 'Aqzzz' }] });
});
afterAll(() => opened.close());

const put = (resource: { resourceType: string; id: string; [name: string]: unknown }): Promise<unknown> => {
  const input = toResourceInput(JSON.stringify(resource), { maxDepth: 64 });
  return opened.core.interactions.update(context, { type: resource.resourceType, id: resource.id, input });
};

async function pagesOf(type: string, parameter: readonly [string, string], count: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const further = cursor === undefined ? [] : [['_cursor', cursor] as const];
    const parameters = [parameter, ['_count', String(count)], ['_total', 'accurate'], ...further] as const;
    const page = await opened.core.interactions.search(context, { type, parameters });
    expect(page.total).toBe(7);
    ids.push(...page.matches.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  return ids;
}

it.each([1, 2, 3, 20])(
  'a search finds each resource once if several components match, in pages of %d',
  async (count) => {
    const ids = await pagesOf('Observation', ['component-code-value-quantity', 'part$gt5'], count);
    expect([...ids].sort()).toEqual(['o0', 'o1', 'o2', 'o3', 'o4', 'o5', 'o6']);
  },
);

it.each(['x', 'XQ', 'xqz'])('a search finds names that contain %s', async (part) => {
  const ids = await pagesOf('Patient', ['family:contains', part], 4);
  expect([...ids].sort()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
});
