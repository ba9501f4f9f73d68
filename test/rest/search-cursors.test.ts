/** Pages during concurrent writes, and cursors in another tenant, release or search (docs/reference/behaviour.md, Search pages). */
import { RELEASE_NAMES } from '../../src/core';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startServer, type TestServer } from '../support/server';
import { TESTED_RELEASES } from '../support/releases';

interface Bundle {
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
  readonly link: readonly { readonly relation: string; readonly url: string }[];
}

const COUNT = 1_000;
const TOUCHED = 120;
const KEYS = [
  'first-secret-key-of-thirty-two-characters',
  'second-secret-key-of-thirty-two-characters',
] as const;

function observation(id: string): object {
  return {
    resourceType: 'Observation',
    id,
    status: 'final',
    code: { coding: [{ system: 'http://loinc.org', code: '8867-4' }] },
    subject: { reference: 'Patient/one' },
    effectiveDateTime: '2020-02-02',
    valueQuantity: { value: 70, system: 'http://unitsofmeasure.org', code: '/min' },
    note: [{ text: 'the same' }],
  };
}

let database: TestDatabase;
let server: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startServer({ because: 'SECRET_KEYS', database, environment: { SECRET_KEYS: KEYS[0] } });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

async function put(release: (typeof RELEASE_NAMES)[number], id: string): Promise<void> {
  const path = `${server.path('system', release)}/Observation/${id}`;
  const { status, text } = await server.request('PUT', path, observation(id));
  if (status !== 201 && status !== 200) throw new Error(`${id}: ${status} ${text}`);
}

/** Calls `work` for each, a few at a time. */
async function forEach<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

function nextOf({ link }: Bundle): string | undefined {
  const url = link.find(({ relation }) => relation === 'next')?.url;
  return url === undefined ? undefined : new URL(url).pathname + new URL(url).search;
}

/** In pages of seven; fewer of the others are read, because reading one after the other takes time. */
const ONE_CODE = 'code=8867-4';

describe.each(TESTED_RELEASES)('pages over 1,000 equal sort keys under %s', (release) => {
  const createdIds = Array.from({ length: COUNT }, (_, index) => `kept-${index}`);
  const touched = Array.from({ length: TOUCHED }, (_, index) => `touched-${index}`);
  beforeAll(() => forEach([...createdIds, ...touched], (id) => put(release, id)));

  it.each([
    ONE_CODE,
    'code=8867-4&_sort=-date',
    'code=8867-4&_sort=date',
    'status=final&_sort=_lastUpdated',
    'subject=Patient/one&_sort=-_lastUpdated',
    'value-quantity=gt60',
    'code=8867-4&_sort=value-quantity,-status',
    'subject:Patient.name:missing=true&_sort=-date',
    'code:not=1234-5',
    '',
  ])('%s: following next while others write shows each untouched resource exactly once', async (query) => {
    const root = server.path('system', release);
    let isOver = false;
    const writers = [0, 1, 2].map(async (writer) => {
      for (let turn = writer; !isOver; turn += 3) {
        const id = `touched-${turn % TOUCHED}`;
        await put(release, `new-${release}-${turn}`);
        await server.request('DELETE', `${root}/Observation/${id}`);
        await put(release, id);
        await server.request('DELETE', `${root}/Observation/new-${release}-${turn}`);
      }
    });
    const seen = new Map<string, number>();
    try {
      let path: string | undefined =
        `${root}/Observation?${query}${query === '' ? '' : '&'}_count=${query === ONE_CODE ? 7 : 73}`;
      while (path !== undefined) {
        const { status, json, text } = await server.request('GET', path);
        if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
        const bundle = json as unknown as Bundle;
        for (const { resource } of bundle.entry ?? [])
          seen.set(resource.id, (seen.get(resource.id) ?? 0) + 1);
        path = nextOf(bundle);
      }
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
    // A chain to a patient that does not exist finds nothing.
    const expected = query.startsWith('subject:Patient') ? [] : createdIds;
    expect(expected.filter((id) => seen.get(id) !== 1)).toEqual([]);
  });

  describe('a cursor', () => {
    const first = async (): Promise<string> => {
      const path = `${server.path('system', release)}/Observation?code=8867-4&_count=10`;
      const { json } = await server.request('GET', path);
      return nextOf(json) ?? '';
    };

    it('shows the same page again, after a restart and after the keys were changed', async () => {
      const path = await first();
      const ids = ({ json }: { json: unknown }): string[] =>
        ((json as Bundle).entry ?? []).map(({ resource }) => resource.id);
      const page = ids(await server.request('GET', path));
      expect(page).toHaveLength(10);
      const environment = { SECRET_KEYS: `${KEYS[1]},${KEYS[0]}` };
      const restarted = await startServer({
        because: 'it is started again with the same keys',
        database,
        environment,
      });
      try {
        expect(ids(await restarted.request('GET', path))).toEqual(page);
      } finally {
        await restarted.close();
      }
      const otherKeys = await startServer({
        because: 'it has other SECRET_KEYS',
        database,
        environment: { SECRET_KEYS: KEYS[1] },
      });
      try {
        expect((await otherKeys.request('GET', path)).status).toBe(400);
      } finally {
        await otherKeys.close();
      }
    });

    it('is refused when it was changed, or is used for another search, type, release or tenant', async () => {
      const path = await first();
      const cursor = new URLSearchParams(path.slice(path.indexOf('?'))).get('_cursor') ?? '';
      const other = RELEASE_NAMES.find((name) => name !== release) ?? release;
      await server.app.core.tenants.create(`pages-${release}`);
      const root = server.path('system', release);
      const changed = `${cursor.slice(0, 12)}${cursor[12] === 'A' ? 'B' : 'A'}${cursor.slice(13)}`;
      for (const foreign of [
        `${root}/Observation?code=8867-4&_count=10&_cursor=${changed}`,
        `${root}/Observation?code=8867-4&_count=10&_cursor=${cursor.slice(0, -2)}`,
        `${root}/Observation?code=8867-3&_count=10&_cursor=${cursor}`,
        `${root}/Observation?code=8867-4&_sort=date&_cursor=${cursor}`,
        `${root}/Condition?code=8867-4&_cursor=${cursor}`,
        `${server.path('system', other)}/Observation?code=8867-4&_cursor=${cursor}`,
        `${server.path(`pages-${release}`, release)}/Observation?code=8867-4&_cursor=${cursor}`,
      ]) {
        expect([foreign, (await server.request('GET', foreign)).status]).toEqual([foreign, 400]);
      }
    });
  });
});
