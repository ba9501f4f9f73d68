/** Transactions that are large, and many at once: https://hl7.org/fhir/R4/http.html#transaction. */
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import type { Release } from '../../src/core';
import { findFreePort } from '../../src/embedded/free-port';
import { entryOf, transaction, uuid } from '../support/bundles';
import { createHttpClient, type HttpClient } from '../support/http';
import { startServer, type Answer, type TestServer } from '../support/server';

let database: TestServer;
let second: TestServer;
let owner: Client;
let metrics: HttpClient;
beforeAll(async () => {
  const METRICS_ADDRESS = `127.0.0.1:${await findFreePort()}`;
  metrics = createHttpClient(`http://${METRICS_ADDRESS}`);
  database = await startServer({ because: 'the tests hold locks in its database' });
  owner = new Client(database.database.settings);
  await owner.connect();
  second = await startServer({
    because: 'METRICS_ADDRESS, and it is another process',
    database: database.database,
    environment: { METRICS_ADDRESS },
  });
  await database.app.core.tenants.create('other');
});
afterAll(async () => {
  await owner.end();
  metrics.close();
  await second.close();
  await database.close();
});

/** Resolves when some transaction has all its locks but that of the head that the owner holds. */
async function untilWaiting(): Promise<void> {
  for (;;) {
    const { rows } = await owner.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    if (rows.length > 0) return;
    await setTimeout(20);
  }
}

/** SQL statements that the second server has run. */
async function statements(): Promise<number> {
  const { text } = await metrics.request('GET', '/metrics');
  const counts = text.matchAll(/andiron_sql_statement_duration_seconds_count\{[^}]*\} (\d+)/g);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe.each<[Release, string]>([
  ['r4', 'system'],
  ['r4b', 'other'],
])('transactions under %s of the tenant %s', (release, tenant) => {
  /** To one server process or the other. */
  const send = (at: number, method: string, rest: string, body?: unknown): Promise<Answer> =>
    (at % 2 === 0 ? database : second).request(method, `${database.path(tenant, release)}${rest}`, body);

  it('may have 2,000 entries that refer to each other', async () => {
    const count = 2000;
    const entries = Array.from({ length: count }, (_, index) =>
      entryOf(
        'POST',
        'Organization',
        {},
        {
          fullUrl: uuid(index),
          resource: {
            resourceType: 'Organization',
            name: `Branch ${index} of a long chain, which is what makes the whole of it long`,
            partOf: { reference: uuid((index + 1) % count) },
          },
        },
      ),
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

  it('twenty at once on the same resources, beside single writes, each go through as a whole', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => `race-${release}-${index}`);
    const write = (id: string, mark: string): object =>
      entryOf('PUT', `Basic/${id}`, {}, { resource: { resourceType: 'Basic', id, code: { text: mark } } });
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
    const orders = new Set<string>();
    for (const id of ids) {
      const history = await send(0, 'GET', `/Basic/${id}/_history?_count=100`);
      const versions = history.json.entry.map(
        ({ resource }: { resource: { meta: { versionId: string } } }) => resource.meta.versionId,
      );
      expect(versions).toEqual(Array.from({ length: 20 }, (_, index) => String(20 - index)));
      orders.add(
        history.json.entry
          .map(({ resource }: { resource: { code: { text: string } } }) => resource.code.text)
          .join(),
      );
    }
    // In the same order on every resource: as if one after the other.
    expect(orders.size).toBe(1);
  });

  it('make one resource by twenty conditional creates at once', async () => {
    const system = 'http://example.org/once';
    const entry = entryOf(
      'POST',
      'Patient',
      {},
      {
        resource: { resourceType: 'Patient', identifier: [{ system, value: '1' }] },
      },
    );
    const body = transaction({
      ...entry,
      request: { method: 'POST', url: 'Patient', ifNoneExist: `identifier=${system}|1` },
    });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, turn) => send(turn, 'POST', '', body)));
    const statuses = answers.map(({ json }) => json.entry[0].response.status).sort();
    expect(statuses).toEqual([...Array<string>(19).fill('200 OK'), '201 Created']);
    expect((await send(0, 'GET', `/Patient?identifier=${system}|1`)).json.entry).toHaveLength(1);
  });

  /** Returns the result of `work` while another connection holds the lock on the head of a Basic, which `work` gets. */
  async function whileHeld<T>(id: string, work: (held: string) => Promise<T>): Promise<T> {
    const held = { resourceType: 'Basic', id, code: { text: 'held' } };
    expect((await send(0, 'PUT', `/Basic/${id}`, held)).status).toBe(201);
    const space = await database.app.core.access.findSpace(tenant, release);
    await owner.query('begin');
    await owner.query(
      `select 1 from andiron.resource where space = $1 and id = $2 and not deleted for update`,
      [space?.number, id],
    );
    try {
      return await work(id);
    } finally {
      await owner.query('rollback');
    }
  }

  it.each<[string, (criteria: string) => object]>([
    ['create', (ifNoneExist) => ({ method: 'POST', url: 'Patient', ifNoneExist })],
    ['update', (criteria) => ({ method: 'PUT', url: `Patient?${criteria}` })],
  ])(
    'a search for an identifier that a conditional %s in a transaction stores waits for it',
    async (kind, requestOf) => {
      const system = `http://example.org/${kind}-${release}`;
      const own = { system, value: '1' };
      const resource = {
        resourceType: 'Patient',
        identifier: [own, { system: `${system}/other`, value: '2' }],
      };
      const entry = { resource, request: requestOf(`identifier=${system}/other|2`) };
      const [bundle, single] = await whileHeld(`held-${kind}-${release}`, async (id) => {
        const change = entryOf(
          'PUT',
          `Basic/${id}`,
          {},
          {
            resource: { resourceType: 'Basic', id, code: { text: 'changed' } },
          },
        );
        const sent = send(0, 'POST', '', transaction(entry, change));
        await untilWaiting();
        const alone = second.request(
          'POST',
          `${second.path(tenant, release)}/Patient`,
          { resourceType: 'Patient', identifier: [own] },
          { 'if-none-exist': `identifier=${system}|1` },
        );
        expect(await Promise.race([alone, setTimeout(300, 'waiting')])).toBe('waiting');
        return [sent, alone];
      });
      expect((await bundle).json.entry[0].response.status).toBe('201 Created');
      expect((await single).status).toBe(200);
      expect((await send(0, 'GET', `/Patient?identifier=${system}|1`)).json.entry).toHaveLength(1);
    },
  );

  it('profiles and value sets are read once for all entries, not once for each', async () => {
    const url = 'http://example.org/fhir/StructureDefinition/coded';
    const binding = { strength: 'required', valueSet: 'http://example.org/fhir/ValueSet/colours' };
    const codes = { resourceType: 'ValueSet', id: 'colours', url: binding.valueSet, status: 'active', compose: { include: [{ system: 'http://example.org/colour', concept: [{ code: 'red' }] }] } }; // prettier-ignore
    const profile = { resourceType: 'StructureDefinition', id: 'coded', url, name: 'Coded', status: 'active', kind: 'resource', abstract: false, type: 'Basic', baseDefinition: 'http://hl7.org/fhir/StructureDefinition/Basic', derivation: 'constraint', differential: { element: [{ id: 'Basic.code', path: 'Basic.code', binding }] } }; // prettier-ignore
    for (const resource of [codes, profile])
      expect((await send(0, 'PUT', `/${resource.resourceType}/${resource.id}`, resource)).status).toBe(201);
    const coded = (code: string): object =>
      entryOf('POST', 'Basic', {}, {
        resource: { resourceType: 'Basic', meta: { profile: [url] }, code: { coding: [{ system: 'http://example.org/colour', code }] } },
      }); // prettier-ignore
    const entries = Array.from({ length: 200 }, () => coded('red'));
    // The common elements of all resources exist.
    expect((await send(1, 'POST', '', transaction(...entries))).status).toBe(200);
    // Statements of the server's own work are counted too, on a slow machine more of them: the least of a few tries counts.
    let fewest = Infinity;
    for (let tries = 0; tries < 5 && fewest >= entries.length / 4; tries++) {
      const before = await statements();
      expect((await send(1, 'POST', '', transaction(...entries))).status).toBe(200);
      fewest = Math.min(fewest, (await statements()) - before);
    }
    expect(fewest).toBeLessThan(entries.length / 4);
    const wrong = await send(1, 'POST', '', transaction(...entries, coded('loud')));
    expect([wrong.status, wrong.json.issue[0].expression]).toEqual([
      422,
      ['Bundle.entry[200].resource.code.coding[0].code'],
    ]);
  });
});
