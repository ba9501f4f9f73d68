/** The answer of a search is of one moment, while others write. */
import { type SharedServer, openSharedServer } from '../support/shared-server';
import { rounds } from '../support/rounds';

let server: SharedServer;
let root: string;
beforeAll(async () => {
  server = await openSharedServer();
  root = server.path('system', 'r4');
});
afterAll(() => server.close());

interface Resource {
  readonly resourceType: string;
  readonly id: string;
  readonly name?: unknown;
}

interface Bundle {
  readonly total?: number;
  readonly entry?: readonly { readonly resource: Resource; readonly search: { readonly mode: string } }[];
}

async function put(resource: Resource): Promise<void> {
  const { status } = await server.request('PUT', `${root}/${resource.resourceType}/${resource.id}`, resource);
  expect([200, 201]).toContain(status);
}

async function search(query: string): Promise<Bundle> {
  const { status, json } = await server.request('GET', `${root}${query}`);
  expect(status).toBe(200);
  return json as Bundle;
}

/** Runs the writers again and again until the searches are done. */
async function whileWriting(
  writers: readonly ((round: number) => Promise<void>)[],
  searches: () => Promise<void>,
): Promise<void> {
  let isOver = false;
  const writing = writers.map(async (write) => {
    for (let round = 1; !isOver; round++) await write(round);
  });
  try {
    await searches();
  } finally {
    isOver = true;
    await Promise.all(writing);
  }
}

const ROUNDS = rounds(20, 60);

/** Patients and practitioners named Storm come, are renamed and go. */
function storms(): ((round: number) => Promise<void>)[] {
  return [0, 1, 2, 3].map((writer) => async (round) => {
    const resourceType = writer === 3 ? 'Practitioner' : 'Patient';
    const id = `storm-${writer}-${round % 5}`;
    const family = round % 3 === 0 ? 'Calm' : 'Storm';
    if (round % 4 === 0) await server.request('DELETE', `${root}/${resourceType}/${id}`);
    else await put({ resourceType, id, name: [{ family }] });
  });
}

it.each([
  ['of a type', '/Patient?name=storm'],
  ['sorted by the database', '/Patient?name=storm&_sort=_lastUpdated'],
  ['in an order that is gathered', '/Patient?name=storm&_sort=family,-_id'],
  ['of several types', '?_type=Patient,Practitioner&name=storm'],
  ['of several types, by last update', '?_type=Patient,Practitioner&name=storm&_sort=-_lastUpdated'],
])(
  'the total of a search %s is that of its matches, while resources are created, changed and deleted',
  async (_title, query) => {
    await put({ resourceType: 'Patient', id: 'stays', name: [{ family: 'Storm' }] });
    const totals = new Set<number>();
    await whileWriting(storms(), async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const { total, entry = [] } = await search(`${query}&_offset=1&_count=100&_total=accurate`);
        expect(entry.length).toBe((total ?? 0) - 1);
        totals.add(total ?? 0);
      }
    });
    // Something went on meanwhile.
    expect(totals.size).toBeGreaterThan(1);
  },
);

it('the total is the same on every page, behind the last match too', async () => {
  for (let number = 0; number < 7; number++)
    await put({ resourceType: 'Practitioner', id: `paged-${number}`, name: [{ family: 'Paged' }] });
  const query = '/Practitioner?name=paged&_count=3&_total=accurate';
  const pages: [number | undefined, number][] = [];
  let path: string | undefined = `${root}${query}`;
  while (path !== undefined) {
    const { json } = await server.request('GET', path);
    pages.push([json.total, json.entry.length]);
    const links = json.link as { relation: string; url: string }[];
    const next = links.find(({ relation }) => relation === 'next')?.url;
    path = next?.slice(server.base.length);
  }
  expect(pages).toEqual([
    [7, 3],
    [7, 3],
    [7, 1],
  ]);
  for (const [offset, entries] of [
    [6, 1],
    [7, 0],
    [100, 0],
  ]) {
    const { total, entry = [] } = await search(`${query}&_offset=${offset}`);
    expect([total, entry.length]).toEqual([7, entries]);
  }
  expect((await search('/Practitioner?name=nobody&_total=accurate')).total).toBe(0);
});

/** Each round writes the observation, then the patient, then the organization, with the number of the round. */
async function writeRound(round: number): Promise<void> {
  const text = String(round);
  await put({
    resourceType: 'Observation',
    id: 'o',
    status: 'final',
    code: { text },
    subject: { reference: 'Patient/p' },
  } as Resource);
  await put({
    resourceType: 'Patient',
    id: 'p',
    name: [{ text }],
    managingOrganization: { reference: 'Organization/g' },
  } as Resource);
  await put({ resourceType: 'Organization', id: 'g', name: text });
}

function roundOf(bundle: Bundle, type: string): number {
  const resource = bundle.entry
    ?.map((entry) => entry.resource)
    .find(({ resourceType }) => resourceType === type);
  const found = /"(?:text|name)":"(\d+)"/.exec(JSON.stringify(resource));
  if (found === null) throw new Error(`there is no ${type}`);
  return Number(found[1]);
}

it.each([
  [
    'refers to, over several rounds',
    '/Observation?_id=o&_include=Observation:subject&_include:iterate=Patient:organization',
  ],
  [
    'is referred to by, over several rounds',
    '/Organization?_id=g&_revinclude=Patient:organization&_revinclude:iterate=Observation:subject',
  ],
])('the resources of a page %s are of the moment of the page', async (_title, query) => {
  await writeRound(0);
  const rounds = new Set<number>();
  await whileWriting([writeRound], async () => {
    for (let round = 0; round < ROUNDS * 2; round++) {
      const bundle = await search(query);
      const [observation, patient, organization] = ['Observation', 'Patient', 'Organization'].map((type) =>
        roundOf(bundle, type),
      );
      if (observation === undefined || patient === undefined || organization === undefined)
        throw new Error('');
      // At any moment the later ones of a round are at most one round behind, and never ahead.
      expect(observation - patient === 0 || observation - patient === 1).toBe(true);
      expect(patient - organization === 0 || patient - organization === 1).toBe(true);
      expect(observation - organization).toBeLessThanOrEqual(1);
      rounds.add(observation);
    }
  });
  expect(rounds.size).toBeGreaterThan(1);
});
