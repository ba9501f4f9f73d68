/** The number of changed resources that a list as of a moment can have. */
import { FhirError, type RequestContext } from '../../../src/core';
import { openCore, type OpenedCore } from '../../support/core';
import { slowness } from '../../support/machine-speed';

const MOST = 10_000;

let opened: OpenedCore;
let context: RequestContext;
beforeAll(async () => {
  opened = await openCore();
  context = await opened.context('system', 'r4');
});
afterAll(() => opened.close());

/** Stores so many in one transaction; the time of their versions. */
async function store(count: number, text: (index: number) => string): Promise<number> {
  const entry = Array.from({ length: count }, (_, index) => ({
    resource: { resourceType: 'Basic', id: `b${index}`, code: { text: text(index) } },
    request: { method: 'PUT', url: `Basic/b${index}` },
  }));
  const input = { text: JSON.stringify({ resourceType: 'Bundle', type: 'transaction', entry }) };
  const { entries } = await opened.core.interactions.bundle(context, { input });
  await new Promise((resolve) => setTimeout(resolve, 5));
  // The versions of a large transaction are made one after the other.
  return Math.max(
    ...entries.map((entry) => (entry.kind === 'written' ? entry.result.version.lastUpdated : NaN)),
  );
}

it('allows ten thousand resources that have changed since, and refuses one more', async () => {
  const before = await store(MOST, (index) => `number ${index % 100}`);
  await store(MOST, () => 'another');
  const search = (moment: number, code: string) =>
    opened.core.interactions.search(context, {
      type: 'Basic',
      parameters: [
        ['code:text', code],
        ['_total', 'accurate'],
        ['_count', '10'],
      ],
      asOf: moment,
    });
  const began = performance.now();
  const { total, matches } = await search(before, 'number 7');
  expect([total, matches.length]).toEqual([1_100, 10]);
  expect(matches.every(({ versionId }) => versionId === 1)).toBe(true);
  // Ten thousand texts are read and tested.
  expect((performance.now() - began) / slowness()).toBeLessThan(10_000);
  await opened.core.interactions.update(context, {
    type: 'Basic',
    id: 'one-more',
    input: {
      text: '{"resourceType":"Basic","id":"one-more","code":{"text":"x"}}',
    },
  });
  const refused = await search(before, 'number 7').catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(FhirError);
  expect(refused).toMatchObject({ key: 'tooCostly' });
});
