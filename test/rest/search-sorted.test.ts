/** `_sort` by the order of index rows: the same pages by an index scan and by fetch and sort (#sort). */
import type { Release } from '../../src/core';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startServer, type TestServer } from '../support/server';
import { runOnServer } from '../support/services';
import { TESTED_RELEASES } from '../support/releases';

interface Bundle {
  readonly total?: number;
  readonly link: readonly { readonly relation: string; readonly url: string }[];
  readonly entry?: readonly { readonly resource: { readonly id: string } }[];
}

let database: TestDatabase;
/** Walks wherever it can, because it counts no matches. */
let scanning: TestServer;
/** Gathers few matches. */
let sorting: TestServer;
beforeAll(async () => {
  database = await createTestDatabase();
  const environment = { SECRET_KEYS: 'one-secret-key-of-thirty-two-characters' };
  scanning = await startServer({
    because: 'SEARCH_SORT_LIMIT',
    database,
    environment: { ...environment, SEARCH_SORT_LIMIT: '0' },
  });
  sorting = await startServer({
    because: 'SEARCH_EXPLAIN, and rows are written past it',
    database,
    environment: { ...environment, SEARCH_EXPLAIN: 'on' },
  });
});
afterAll(async () => {
  await scanning.close();
  await sorting.close();
  await database.drop();
});

const TAG = { system: 'urn:sorted', code: 'kept' };
const FAMILIES = [
  'Ångström',
  'Müller',
  'muller',
  "O'Brien",
  'Zoë 𐐀',
  '𐐀stral',
  'ﬀ',
  '豈',
  '!',
  'Carreno Quiñones',
];

/** Names of every kind: several, none, one without any text. */
function patients(): object[] {
  return Array.from({ length: 40 }, (_, index) => {
    const family = FAMILIES[index % FAMILIES.length];
    const name =
      index % 8 === 7
        ? undefined
        : index % 8 === 6
          ? [{ use: 'official' }]
          : [{ family, given: [`Given ${index % 3}`] }, ...(index % 5 === 0 ? [{ family: 'Aaa Zzz' }] : [])];
    return {
      resourceType: 'Patient',
      id: `patient-${index}`,
      meta: { tag: [TAG] },
      gender: index % 2 === 0 ? 'male' : 'female',
      ...(name === undefined ? {} : { name }),
    };
  });
}

const QUANTITIES: readonly object[] = [
  { value: 5 },
  { value: 5, comparator: '>' },
  { value: 5, comparator: '<' },
  { value: -5, comparator: '>' },
  { value: -5.25 },
  { value: 0 },
  { value: 0, comparator: '>' },
  { value: 1e-8 },
  { unit: 'a unit alone' },
  { value: 120, system: 'http://unitsofmeasure.org', code: 'mm[Hg]' },
];
const DATES: readonly object[] = [
  { onsetDateTime: '2019-05' },
  { onsetDateTime: '2019-05-01T10:00:00.5Z' },
  { onsetPeriod: { end: '2018' } },
  { onsetPeriod: { start: '2017-01-01', end: '2018' } },
  {},
];

const LOINC = 'http://loinc.org';

/** The same code, as a code of one system, of two, and of none besides. */
function codeOf(index: number): object {
  const mine = index % 2 === 1 ? [{ system: 'urn:mine', code: '1234-5' }] : [];
  const none = index % 5 === 0 ? [{ code: '1234-5' }] : [];
  return { coding: [{ system: LOINC, code: '1234-5' }, ...mine, ...none] };
}

function others(): object[] {
  const subject = { reference: 'Patient/patient-1' };
  return Array.from({ length: 30 }, (_, index) => [
    {
      resourceType: 'Observation',
      id: `observation-${index}`,
      meta: { tag: [TAG] },
      status: 'final',
      code: codeOf(index),
      subject,
      ...(index % 11 === 10 ? {} : { valueQuantity: QUANTITIES[index % QUANTITIES.length] }),
    },
    {
      resourceType: 'Condition',
      id: `condition-${index}`,
      meta: { tag: [TAG] },
      subject,
      ...DATES[index % DATES.length],
    },
    {
      resourceType: 'Questionnaire',
      id: `questionnaire-${index}`,
      meta: { tag: [TAG] },
      status: 'draft',
      ...(index % 4 === 3
        ? {}
        : { url: `http://example.org/${'q'.repeat(index % 3 === 0 ? 600 : 3)}/${index % 5}` }),
    },
  ]).flat();
}

async function follow(servers: readonly TestServer[], path: string): Promise<string[]> {
  const ids: string[] = [];
  let next: string | undefined = path;
  for (let page = 0; next !== undefined; page++) {
    const server = servers[page % servers.length] as TestServer;
    const { status, text, json } = await server.request('GET', next);
    if (status !== 200) throw new Error(`${next}: ${status} ${text}`);
    const { entry = [], link } = json as Bundle;
    ids.push(...entry.map(({ resource }) => resource.id));
    const url = link.find(({ relation }) => relation === 'next')?.url;
    next = url === undefined ? undefined : new URL(url).pathname + new URL(url).search;
  }
  return ids;
}

describe.each(TESTED_RELEASES)('orders by values under %s', (release: Release) => {
  const root = (): string => sorting.path('system', release);
  beforeAll(async () => {
    const entry = [...patients(), ...others()].map((resource) => {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      return { resource, request: { method: 'PUT', url: `${resourceType}/${id}` } };
    });
    for (const { resource, request } of entry) {
      const { status, text } = await sorting.request('PUT', `${root()}/${request.url}`, resource);
      if (status !== 201) throw new Error(text);
    }
  });

  it.each([
    ['Patient', 'family'],
    ['Patient', 'name'],
    ['Patient', 'address-city'],
    ['Observation', 'value-quantity'],
    ['Condition', 'onset-date'],
    ['Questionnaire', 'url'],
  ])('%s by %s: pages of any server are those of the whole, in both directions', async (type, code) => {
    for (const sort of [code, `-${code}`]) {
      const path = `${root()}/${type}?_tag=kept&_sort=${sort}`;
      const whole = await follow([sorting], `${path}&_count=1000`);
      expect(new Set(whole).size).toBe(type === 'Patient' ? 40 : 30);
      expect(await follow([scanning], `${path}&_count=1000`)).toEqual(whole);
      expect(await follow([scanning], `${path}&_count=7`)).toEqual(whole);
      expect(await follow([sorting, scanning], `${path}&_count=3`)).toEqual(whole);
      expect(await follow([scanning], `${root()}/${type}?_sort=${sort}&_count=9`)).toEqual(whole);
      expect(await follow([scanning], `${path}&_count=7&_offset=11`)).toEqual(whole.slice(11));
    }
  });

  it.each([
    ['Patient', 'family,-gender,-_id'],
    ['Patient', '-name,gender'],
    ['Observation', 'value-quantity,-_id'],
    ['Observation', '-value-quantity,_id'],
    ['Condition', 'onset-date,_id'],
    ['Patient', '-_lastUpdated,family'],
  ])(
    '%s by %s: equal values of the first key are sorted by the others, on every page',
    async (type, sort) => {
      const path = `${root()}/${type}?_tag=kept&_sort=${sort}`;
      const whole = await follow([sorting], `${path}&_count=1000`);
      expect(new Set(whole).size).toBe(type === 'Patient' ? 40 : 30);
      expect(await follow([scanning], `${path}&_count=1000`)).toEqual(whole);
      expect(await follow([scanning], `${path}&_count=3`)).toEqual(whole);
      expect(await follow([sorting, scanning], `${path}&_count=4`)).toEqual(whole);
      expect(await follow([scanning], `${path}&_count=7&_offset=11`)).toEqual(whole.slice(11));
    },
  );

  it.each([
    ['1234-5', 30],
    [`${LOINC}|1234-5`, 30],
    ['urn:mine|1234-5', 15],
    ['|1234-5', 6],
    [`urn:mine|1234-5,|1234-5`, 18],
    ['urn:other|1234-5', 0],
  ])('Observation by value under the code %s: each once, on every page', async (code, count) => {
    for (const sort of ['value-quantity', '-value-quantity']) {
      const path = `${root()}/Observation?_tag=kept&code=${code}&_sort=${sort}`;
      const whole = await follow([sorting], `${path}&_count=1000`);
      expect([whole.length, new Set(whole).size]).toEqual([count, count]);
      expect(await follow([scanning], `${path}&_count=1000`)).toEqual(whole);
      expect(await follow([scanning], `${path}&_count=4`)).toEqual(whole);
      expect(await follow([scanning], `${root()}/Observation?code=${code}&_sort=${sort}&_count=3`)).toEqual(
        whole,
      );
    }
  });

  it.each(['1234-5', `${LOINC}|1234-5`, 'urn:mine|1234-5', '|1234-5', 'urn:other|1234-5'])(
    'Observation by the code %s and a value: those that have both, each once',
    async (code) => {
      for (const value of ['lt100', 'gt0', '5', 'ne5', '120|http://unitsofmeasure.org|mm[Hg]', '120']) {
        const both = await follow(
          [sorting],
          `${root()}/Observation?code=${code}&value-quantity=${value}&_sort=_id`,
        );
        const path = `${root()}/Observation?code-value-quantity=${code}$${value}`;
        for (const server of [scanning, sorting])
          expect(await follow([server], `${path}&_sort=_id&_count=2`)).toEqual(both);
        expect((await follow([scanning], `${path}&_count=3`)).sort()).toEqual(both.sort());
        const { json } = await sorting.request('GET', `${path}&_summary=count`);
        expect((json as Bundle).total).toBe(both.length);
        if (value === 'lt100') expect(both.length > 0).toBe(code !== 'urn:other|1234-5');
      }
    },
  );

  it('a number and an open range above it begin at one place, so that the next key decides', async () => {
    // QUANTITIES has 5 and >5 in the first two places, and others between their copies.
    const ids = ['observation-0', 'observation-1', 'observation-20', 'observation-11'];
    for (const sort of ['value-quantity,_id', '-value-quantity,_id'])
      for (const server of [scanning, sorting])
        expect(
          await follow([server], `${root()}/Observation?_id=${ids.join(',')}&_sort=${sort}&_count=1`),
        ).toEqual(['observation-0', 'observation-1', 'observation-11', 'observation-20']);
  });

  it('least first and greatest first, each resource once, resources without a value last in both', async () => {
    const ids = await follow([scanning], `${root()}/Patient?_sort=family&_count=11`);
    const descending = await follow([scanning], `${root()}/Patient?_sort=-family&_count=11`);
    const isLast = (id: string): boolean => Number(id.slice(8)) % 8 >= 6;
    for (const order of [ids, descending]) expect(order.slice(30).every(isLast)).toBe(true);
    // The least of Aaa Zzz and another name counts, then the greatest.
    expect([...ids.slice(0, 3)].sort()).toEqual(['patient-18', 'patient-28', 'patient-8']);
    // By code points, not by the halves that JavaScript writes those beyond U+FFFF with.
    expect(descending[0]).toMatch(/^patient-(5|25|35)$/);
  });

  it('numbers of more digits than a double has keep their order', async () => {
    const long = ['5.000000000000000001', '4.999999999999999999', '5', '>5'].map((value, index) => ({
      id: `long-${index}`,
      text: JSON.stringify({ ...others()[0], id: `long-${index}`, valueQuantity: { value: 0 } }).replace(
        '"value":0',
        value.startsWith('>') ? `"value":5,"comparator":">"` : `"value":${value}`,
      ),
    }));
    for (const { id, text } of long) await scanning.request('PUT', `${root()}/Observation/${id}`, text);
    const ids = await follow(
      [scanning, sorting],
      `${root()}/Observation?_id=${long.map(({ id }) => id).join(',')}&_sort=value-quantity&_count=1`,
    );
    expect(ids).toEqual(['long-1', 'long-2', 'long-3', 'long-0']);
    for (const { id } of long) await scanning.request('DELETE', `${root()}/Observation/${id}`);
  });

  it('the total is counted where requested, and _count=0 needs no order', async () => {
    for (const server of [scanning, sorting]) {
      for (const path of [
        'Patient?gender=male&_sort=family&_count=3&_total=accurate',
        'Patient?gender=male&_sort=gender&_count=0',
      ]) {
        const { json } = await server.request('GET', `${root()}/${path}`);
        expect([path, (json as Bundle).total]).toEqual([path, 20]);
      }
    }
  });

  it('more than 10,000 resources are paged in the order of their names, and no text is read for it', async () => {
    const tenant = `many-${release}`;
    await sorting.app.core.tenants.create(tenant);
    const many = sorting.path(tenant, release);
    const patient = { resourceType: 'Patient', id: 'first', name: [{ family: 'Aaron' }], gender: 'male' };
    await sorting.request('PUT', `${many}/Patient/first`, patient);
    // Written past the server: ten thousand requests would take long.
    const copies = `generate_series(1, 10001) as n where t.space = (
      select s.number from andiron.space s join andiron.tenant a on a.number = s.tenant
      where a.name = '${tenant}' and s.release = '${release}' and s.kind = 'data')`;
    for (const [table, change] of [
      ['resource', `id = lpad(n::text, 5, '0')`],
      [
        'resource_version',
        `id = lpad(n::text, 5, '0'), body = replace(body, 'first', lpad(n::text, 5, '0'))`,
      ],
      ['string_index', `value = 'b' || lpad(n::text, 6, '0')`],
      ['token_index', 'value_hash = value_hash'],
    ] as const)
      await runOnServer(
        database.settings,
        `create temp table copy as select t.*, n from andiron.${table} t, ${copies};
         update copy set resource_key = -n, ${change};
         alter table copy drop column n;
         insert into andiron.${table} select * from copy`,
      );
    // As autovacuum would do a minute later: PostgreSQL knows how many rows there are.
    await runOnServer(
      database.settings,
      'analyze andiron.resource, andiron.resource_version, andiron.string_index, andiron.token_index',
    );
    for (const query of ['', 'gender=male&']) {
      const page = (rest: string): Promise<string[]> =>
        follow([sorting], `${many}/Patient?${query}_sort=family&_count=1000${rest}`);
      const ids = await page('');
      expect(ids).toHaveLength(10_002);
      expect([ids[0], ids[1], ids[10_001]]).toEqual(['first', '00001', '10001']);
    }
    const { json } = await sorting.request('GET', `${many}/Patient?_sort=family&_count=2&_explain=true`);
    expect(JSON.stringify(json)).toContain('the rows of the sort values are scanned in order');
  });
});
