/**
 * A long record: many pages, more included resources than one page or one cursor holds, with repeated references, and
 * one resource with most of them.
 */
import { transaction, type Searchset } from '../support/bundles';
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
let root: string;

const MEMBERS = 2_000;
const ORGANIZATIONS = 1_200;
const PRACTITIONERS = 700;
const numbers = (count: number) => Array.from({ length: count }, (_none, index) => index);

async function put(resources: readonly { resourceType: string; id: string }[]): Promise<void> {
  for (let start = 0; start < resources.length; start += 2_000) {
    const entries = resources.slice(start, start + 2_000).map((resource) => ({
      resource,
      request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
    }));
    const { status, text } = await server.request('POST', root, transaction(...entries));
    if (status !== 200) throw new Error(text);
  }
}

beforeAll(async () => {
  server = await startServer({ environment: { VALIDATION: 'structure' } });
  root = server.path('system', 'r4');
  await put([
    { resourceType: 'Patient', id: 'ann' },
    ...numbers(PRACTITIONERS).map((number) => ({ resourceType: 'Practitioner', id: `p${number}` })),
    ...numbers(ORGANIZATIONS).map((number) => ({ resourceType: 'Organization', id: `o${number}` })),
    ...numbers(MEMBERS).map((number) => ({
      resourceType: 'Observation',
      id: `v${number}`,
      status: 'final',
      code: { text: 'Heart rate' },
      subject: { reference: 'Patient/ann' },
      effectiveDateTime: `20${10 + (number % 10)}-01-01`,
      performer: [{ reference: `Practitioner/p${number % PRACTITIONERS}` }],
    })),
    {
      resourceType: 'List',
      id: 'all',
      status: 'current',
      mode: 'working',
      subject: { reference: 'Patient/ann' },
      entry: numbers(ORGANIZATIONS).map((number) => ({ item: { reference: `Organization/o${number}` } })),
    } as { resourceType: string; id: string },
  ]);
});
afterAll(() => server.close());

async function readPages(query: string): Promise<Searchset[]> {
  const pages: Searchset[] = [];
  for (let address: string | undefined = `${root}/Patient/ann/$everything${query}`; address !== undefined;) {
    const { status, text, json } = await server.request('GET', address);
    if (status !== 200) throw new Error(text);
    pages.push(json as Searchset);
    // The address has the included resources; proxies allow 8 kB.
    expect(address.length).toBeLessThan(6_000);
    address = (json as Searchset).link
      .find(({ relation }) => relation === 'next')
      ?.url.slice(server.base.length);
  }
  return pages;
}

function countOf(pages: readonly Searchset[], mode: string, type: string): { all: number; distinct: number } {
  const ids = pages
    .flatMap(({ entry = [] }) => entry)
    .filter(({ resource, search }) => search.mode === mode && resource.resourceType === type)
    .map(({ resource }) => resource.id);
  return { all: ids.length, distinct: new Set(ids).size };
}

test('pages of 50 of a record of 2,000 have each resource once', async () => {
  const pages = await readPages('?_count=50');
  expect(countOf(pages, 'match', 'Observation')).toEqual({ all: MEMBERS, distinct: MEMBERS });
  expect(countOf(pages, 'match', 'Patient')).toEqual({ all: 1, distinct: 1 });
  expect(countOf(pages, 'match', 'List')).toEqual({ all: 1, distinct: 1 });
  expect(countOf(pages, 'include', 'Organization')).toEqual({ all: ORGANIZATIONS, distinct: ORGANIZATIONS });
  expect(countOf(pages, 'include', 'Practitioner')).toEqual({ all: PRACTITIONERS, distinct: PRACTITIONERS });
  for (const { entry = [] } of pages) {
    expect(entry.filter(({ search }) => search.mode === 'match').length).toBeLessThanOrEqual(50);
    expect(entry.filter(({ search }) => search.mode === 'include').length).toBeLessThanOrEqual(1_000);
  }
});

test('a resource that many refer to is included once over all pages', async () => {
  const pages = await readPages('?_count=50&_type=Observation,Practitioner');
  expect(countOf(pages, 'match', 'Observation')).toEqual({ all: MEMBERS, distinct: MEMBERS });
  expect(countOf(pages, 'include', 'Practitioner')).toEqual({ all: PRACTITIONERS, distinct: PRACTITIONERS });
});

test('without _count a page has the greatest allowed number', async () => {
  const pages = await readPages('');
  expect(countOf(pages, 'match', 'Observation')).toEqual({ all: MEMBERS, distinct: MEMBERS });
  expect(pages.length).toBeLessThanOrEqual(5);
});
