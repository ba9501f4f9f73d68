/** Chains of many links through many resources: the number of intermediate resources is limited. */
import type { Release } from '../../src/core';
import { startServer, type TestServer } from '../support/server';
import { storeAll } from '../support/stored';

const RELEASE: Release = 'r4b';
/** One set of all organizations is stored as keys; two chains of nine such sets are too many. */
const FEW = 9_500;
/** One set is too many. */
const MANY = 10_100;
const AT_ONCE = 950;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await storeOrganizations(0, FEW);
  await storeAll(server, RELEASE, [
    { resourceType: 'Patient', id: 'p', managingOrganization: { reference: 'Organization/ring0' } },
    ...['a', 'b'].map((id) => ({
      ...{ resourceType: 'Observation', id, status: 'final', code: { text: 'x' } },
      ...(id === 'a' ? { subject: { reference: 'Patient/p' } } : {}),
    })),
  ]);
});
afterAll(() => server.close());

/** A ring: each is a part of the one before. */
async function storeOrganizations(from: number, to: number): Promise<void> {
  for (let start = from; start < to; start += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, to - start) }, (_none, index) => start + index);
    const bundle = {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: numbers.map((number) => ({
        request: { method: 'PUT', url: `Organization/ring${number}` },
        resource: {
          ...{ resourceType: 'Organization', id: `ring${number}`, name: 'Ring' },
          partOf: { reference: `Organization/ring${number === 0 ? FEW - 1 : number - 1}` },
        },
      })),
    };
    const { status, text } = await server.request('POST', server.path('system', RELEASE), bundle);
    if (status !== 200) throw new Error(text);
  }
}

/** Ten links, from each type that an observation may be about. */
const chain = (end: string): string => `subject.organization${'.partof'.repeat(8)}.${end}`;

async function search(query: string): Promise<{ status: number; text: string; ids: readonly string[] }> {
  const { status, text, json } = await server.request(
    'GET',
    `${server.path('system', RELEASE)}/Observation?${query}`,
  );
  const { entry = [] } = json as { entry?: { resource: { id: string } }[] };
  return { status, text, ids: entry.map(({ resource }) => resource.id) };
}

it('a chain over thousands of resources finds the sources', async () => {
  const { status, ids } = await search(chain('name=ring'));
  expect([status, ids]).toEqual([200, ['a']]);
  expect((await search(chain('name=other'))).ids).toEqual([]);
});

it('more than a hundred thousand resources in a chain are too costly, and the error states the limit', async () => {
  const { status, text } = await search(`${chain('name=ring')}&${chain('name:missing=false')}`);
  expect(status).toBe(422);
  expect(JSON.parse(text)).toMatchObject({
    issue: [
      { code: 'too-costly', diagnostics: expect.stringContaining('More than 100000 resources') as string },
    ],
  });
});

it('a set that is too large is replaced by its criteria, and the chain means the same', async () => {
  await storeOrganizations(FEW, MANY);
  const { status, ids } = await search(chain('name=ring'));
  expect([status, ids]).toEqual([200, ['a']]);
});
