/** Transactions that are large, and many at once: https://hl7.org/fhir/R4/http.html#transaction. */
import type { Release } from '../../src/core';
import { startServer, type Answer, type TestServer } from '../support/server';

let database: TestServer;
let second: TestServer;
beforeAll(async () => {
  database = await startServer();
  second = await startServer({ database: database.database });
  await database.app.core.tenants.create('other');
});
afterAll(async () => {
  await second.close();
  await database.close();
});

function ask(method: string, url: string, more: object = {}): object {
  return { request: { method, url }, ...more };
}
const transaction = (...entry: object[]): object => ({ resourceType: 'Bundle', type: 'transaction', entry });
const uuid = (last: number): string => `urn:uuid:00000000-0000-4000-8000-${String(last).padStart(12, '0')}`;

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('transactions under %s of the tenant %s', (release, tenant) => {
  /** To one server process or the other. */
  const send = (at: number, method: string, rest: string, body?: unknown): Promise<Answer> =>
    (at % 2 === 0 ? database : second).request(method, `${database.path(tenant, release)}${rest}`, body);

  it('81: may have 2,000 entries that refer to each other', async () => {
    const count = 2000;
    const entries = Array.from({ length: count }, (_, index) =>
      ask('POST', 'Organization', {
        fullUrl: uuid(index),
        resource: {
          resourceType: 'Organization',
          name: `Branch ${index} of a long chain, which is what makes the whole of it long`,
          partOf: { reference: uuid((index + 1) % count) },
        },
      }),
    );
    const { status, json } = await send(0, 'POST', '', transaction(...entries));
    expect([status, json.issue]).toEqual([200, undefined]);
    const resources = json.entry.map(({ resource }: { resource: object }) => resource);
    const wrong = resources.filter(
      ({ partOf }: { partOf: { reference: string } }, index: number) =>
        partOf.reference !== `Organization/${resources[(index + 1) % count].id}`,
    );
    expect(wrong).toEqual([]);
    const found = await send(1, 'GET', `/Organization?partof=Organization/${resources[7].id}`);
    expect(found.json.entry[0].resource.id).toBe(resources[6].id);
    const broken = entries.map((entry, index) =>
      index === 1777 ? { ...entry, resource: { resourceType: 'Organization', nmae: 'x' } } : entry,
    );
    const before = (await send(0, 'GET', '/Organization?_summary=count')).json.total;
    const refused = await send(0, 'POST', '', transaction(...broken));
    expect([refused.status, refused.json.issue[0].expression]).toEqual([
      400,
      ['Bundle.entry[1777].resource.nmae'],
    ]);
    expect((await send(0, 'GET', '/Organization?_summary=count')).json.total).toBe(before);
  });

  it('90: twenty at once on the same resources, beside single writes, each go through as a whole', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `race-${release}-${index}`);
    const write = (id: string, mark: string): object =>
      ask('PUT', `Basic/${id}`, { resource: { resourceType: 'Basic', id, code: { text: mark } } });
    const shuffled = (turn: number): string[] =>
      ids.map((_, index) => ids[(index * 3 + turn) % ids.length] ?? '');
    const transactions = Array.from({ length: 20 }, (_, turn) =>
      send(turn, 'POST', '', transaction(...shuffled(turn).map((id) => write(id, `all ${turn}`)))),
    );
    const singles = Array.from({ length: 20 }, (_, turn) =>
      send(turn, 'PUT', `/Basic/single-${turn % 3}`, {
        resourceType: 'Basic',
        id: `single-${turn % 3}`,
        code: { text: 'x' },
      }),
    );
    const answers = await Promise.all(transactions);
    expect(new Set((await Promise.all(singles)).map(({ status }) => status))).toEqual(new Set([200, 201]));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const marks = new Set<string>();
    for (const id of ids) {
      const history = await send(0, 'GET', `/Basic/${id}/_history?_count=100`);
      const versions = history.json.entry.map(
        ({ resource }: { resource: { meta: { versionId: string } } }) => resource.meta.versionId,
      );
      expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => String(20 - index)));
      marks.add(history.json.entry[0].resource.code.text);
    }
    // One was the last of all, on every resource.
    expect(marks.size).toBe(1);
  });

  it('make one resource by twenty conditional creates at once', async () => {
    const system = 'http://example.org/once';
    const entry = ask('POST', 'Patient', {
      resource: { resourceType: 'Patient', identifier: [{ system, value: '1' }] },
    });
    const body = transaction({
      ...entry,
      request: { method: 'POST', url: 'Patient', ifNoneExist: `identifier=${system}|1` },
    });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, turn) => send(turn, 'POST', '', body)));
    const statuses = answers.map(({ json }) => json.entry[0].response.status).sort();
    expect(statuses).toEqual([...Array<string>(19).fill('200 OK'), '201 Created']);
    expect((await send(0, 'GET', `/Patient?identifier=${system}|1`)).json.entry).toHaveLength(1);
  });
});
