/** Searches at the limits: over data that is written past the server, in a moment, and with few connections. */
import { leastAwaitedMilliseconds } from '../support/processor-time';
import { TESTED_RELEASES } from '../support/releases';
import { startServer, type TestServer } from '../support/server';
import { runOnServer } from '../support/services';
import { finder, storeAll } from '../support/stored';

let server: TestServer;
/** Statements that take PostgreSQL too long are 503 there. */
let hasty: TestServer;
beforeAll(async () => {
  server = await startServer({ because: 'the tests write past it, and measure its processor time' });
  hasty = await startServer({
    because: 'STATEMENT_TIMEOUT_MS',
    database: server.database,
    environment: { STATEMENT_TIMEOUT_MS: '4000' },
  });
});
afterAll(async () => {
  await hasty.close();
  await server.close();
});

const location = (id: string, partOf?: string): object => ({
  resourceType: 'Location',
  id,
  ...(partOf === undefined ? {} : { partOf: { reference: `Location/${partOf}` } }),
});

const THERE = {
  resourceType: 'Procedure',
  id: 'there',
  status: 'completed',
  subject: { reference: 'Patient/ann' },
  location: { reference: 'Location/floor' },
};

describe.each(TESTED_RELEASES)('under %s', (release) => {
  const searchWords = (query: string): ReturnType<TestServer['request']> => {
    const [path = '', search = ''] = query.split('?');
    const encoded = encodeURI(search).replaceAll('+', '%2B');
    return hasty.request('GET', `${hasty.path('system', release)}/${path}?${encoded}`);
  };

  it.each<[string, number]>([
    [`Condition?_text=${'a'.repeat(8_000)}`, 200],
    [`Condition?_content="${'a!'.repeat(4_000)}"`, 200],
    [
      `Condition?_content=${Array.from({ length: 50 }, (_, index) => `abcdefghijklmnopqrst${index}`).join(' OR ')}`,
      200,
    ],
    [
      `Condition?code:text=${Array.from({ length: 50 }, (_, index) => `abcdefghijklmnopqrst${index}`).join(',')}`,
      200,
    ],
    [`Condition?code:text=${Array.from({ length: 51 }, (_, index) => `word${index}`).join(',')}`, 422],
    [`Condition?_text=${Array.from({ length: 1_000 }, (_, index) => index).join(',')}`, 422],
    [
      Array.from({ length: 50 }, (_, index) => `_content=word${index}`)
        .join('&')
        .replace(/^/, 'Condition?'),
      200,
    ],
    ['Condition?_text=.*(((|||[[[\\x00+*?{9999}', 400],
    ['Condition?_content=.*|[[[\\x00+*?{9999}$^', 200],
  ])('a search for words is answered or refused in a moment: %.80s', async (query, expected) => {
    let status = 0;
    const spent = await leastAwaitedMilliseconds(2_000, async () => ({ status } = await searchWords(query)));
    expect(status).toBe(expected);
    expect(spent).toBeLessThan(2_000);
  });

  it('a search for words refuses more matches than it can list, until other parameters narrow the search', async () => {
    // Written past the server: ten thousand requests would take long.
    const tenant = `full-${release}`;
    await server.createTenant(tenant);
    const root = `${server.path(tenant, release)}/Basic`;
    const basic = (id: string): string =>
      JSON.stringify({ resourceType: 'Basic', id, code: { text: 'Plentiful' }, created: '2020-01-01' });
    await server.request('PUT', `${root}/one`, basic('one'));
    const { settings } = server.database;
    const copies = `generate_series(1, 10000) as n where t.space = (
      select s.number from andiron.space s join andiron.tenant a on a.number = s.tenant
      where a.name = '${tenant}' and s.release = '${release}' and s.kind = 'data')`;
    for (const table of ['resource', 'resource_version']) {
      await runOnServer(
        settings,
        `create temp table copy as select t.*, n from andiron.${table} t, ${copies};
         update copy set resource_key = -n, id = 'copy-' || n;
         alter table copy drop column n;
         insert into andiron.${table} select * from copy`,
      );
    }
    const refused = await server.request('GET', `${root}?code:text=plenti`);
    expect([refused.status, JSON.stringify(refused.json)]).toEqual([
      422,
      expect.stringMatching(/More than 10000 resources have these words/),
    ]);
    for (const narrower of ['_id=one', '_content=other', 'code:text=plenti&_text=other']) {
      const { status } = await server.request('GET', `${root}?code:text=plenti&${narrower}`);
      expect([narrower, status]).toEqual([narrower, 200]);
    }
    await server.request('DELETE', `${root}/one`);
    const { json: all } = await server.request('GET', `${root}?code:text=plenti&_summary=count`);
    expect(all['total']).toBe(10_000);
  });
});

it('a hierarchy of references goes thousands of levels deep, and no further than 10,000 resources', async () => {
  await server.createTenant('deep');
  const few = [location('top'), location('floor', 'top'), THERE];
  await storeAll(server, 'r4', few, 'deep');
  // Written past the server: ten thousand requests would take long.
  const deepen = (first: number, last: number): Promise<void> =>
    runOnServer(
      server.database.settings,
      `create temp table copy as
         with top as materialized (
           select r.space, r.resource_key from andiron.resource r
           join andiron.space s on s.number = r.space join andiron.tenant a on a.number = s.tenant
           where a.name = 'deep' and s.release = 'r4' and r.id = 'top'
         ), one as materialized (
           select t.* from andiron.reference_index t, top
           where t.space = top.space and t.target_key = top.resource_key
         )
         select one.*, n from one, generate_series(${first}, ${last}) as n;
       update copy set resource_key = -n, target_key = case when n = 1 then target_key else 1 - n end;
       alter table copy drop column n;
       insert into andiron.reference_index select * from copy`,
    );
  const query = 'Procedure?location:below=top';
  await deepen(1, 9_000);
  expect(await finder(server, 'r4', 'deep')(query)).toEqual(['there']);
  await deepen(9_001, 10_000);
  const { status, text } = await server.request('GET', `${server.path('deep', 'r4')}/${query}`);
  expect([status, text]).toEqual([422, expect.stringContaining('More than 10000 resources are below')]);
});

it('searches of several statements do not wait for each other, even where all of them share one connection', async () => {
  const root = server.path('system', 'r4');
  await storeAll(server, 'r4', [
    {
      resourceType: 'Observation',
      id: 'o',
      ...{ status: 'final', code: { text: '1' }, subject: { reference: 'Patient/p' } },
    },
    {
      resourceType: 'Patient',
      id: 'p',
      name: [{ text: '1' }],
      managingOrganization: { reference: 'Organization/g' },
    },
    { resourceType: 'Organization', id: 'g', name: '1' },
  ]);
  // Two connections for reads, as many for writes: one is left for searches.
  const narrow = await startServer({
    database: server.database,
    environment: { DATABASE_CONNECTIONS: '4' },
  });
  const queries = [
    '/Patient?_id=p&_include=Patient:organization&_revinclude=Observation:subject',
    '/Patient?_sort=family,-_id&_offset=1&_total=accurate',
    '/Observation?subject=p&_total=accurate',
    '/Observation?subject:Patient.organization.name=1',
    '/Observation?status:in=http://hl7.org/fhir/ValueSet/observation-status',
    '/Patient?_content=storm',
    '/ValueSet?url=http://hl7.org/fhir/ValueSet/observation-status&_sort=name',
    '/QuestionnaireResponse?questionnaire=Questionnaire/none',
    '?_type=Patient,Practitioner&name=storm&_offset=1&_total=accurate',
    '/Patient/p/*?_include=*',
    '/Observation?_sort=date',
  ];
  const allQueries = Array.from({ length: 4 }, () => queries).flat();
  const answers = await Promise.all(allQueries.map((query) => narrow.request('GET', root + query)));
  const wrong = answers.flatMap(({ status, text }, index) =>
    status === 200 ? [] : [`${allQueries[index] ?? ''}: ${status} ${text.slice(0, 200)}`],
  );
  expect(wrong).toEqual([]);
  await narrow.close();
});
