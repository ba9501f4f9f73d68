/** The time limit of a search, and its effect on others. */
import { Client } from 'pg';
import { startServer, type TestServer } from '../support/server';
import { slowness } from '../support/machine-speed';
import { TESTED_RELEASES } from '../support/releases';

const PATIENCE_MS = 20_000;

/** Milliseconds until the number of connections of the server that meet the condition is as wanted. */
async function until(
  owner: Client,
  condition: string,
  isWanted: (count: number) => boolean,
): Promise<number> {
  const started = performance.now();
  for (;;) {
    const { rows } = await owner.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and application_name = 'andiron' and ${condition}`,
    );
    const count = rows[0]?.n ?? 0;
    if (isWanted(count)) return performance.now() - started;
    if (performance.now() - started > PATIENCE_MS) throw new Error(`${count} connections: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const untilWaiting = (owner: Client, wanted?: number): Promise<number> =>
  until(owner, `wait_event_type = 'Lock'`, (count) => (wanted === undefined ? count > 0 : count === wanted));

/** In no transaction either. */
const untilIdle = (owner: Client): Promise<number> => until(owner, `state <> 'idle'`, (count) => count === 0);

async function openOwner(server: TestServer): Promise<Client> {
  const owner = new Client(server.database.settings);
  await owner.connect();
  return owner;
}

/** Does `work` while nothing can be read of this table. */
async function whileLocked<T>(server: TestServer, table: string, work: () => Promise<T>): Promise<T> {
  const locker = await openOwner(server);
  try {
    await locker.query(`begin`);
    await locker.query(`lock table andiron.${table} in access exclusive mode`);
    return await work();
  } finally {
    await locker.end();
  }
}

/** A GET whose client can disconnect. */
function open(address: string, init: RequestInit = {}): { leave(): Promise<void>; status: Promise<number> } {
  const controller = new AbortController();
  const status = fetch(address, { ...init, signal: controller.signal }).then(async (response) => {
    await response.text();
    return response.status;
  });
  return {
    status,
    async leave() {
      controller.abort();
      await expect(status).rejects.toThrow('aborted');
    },
  };
}

const RESOURCES: readonly object[] = [
  { resourceType: 'Organization', id: 'o', name: 'Ward' },
  {
    resourceType: 'Patient',
    id: 'p',
    name: [{ family: 'Smith' }],
    managingOrganization: { reference: 'Organization/o' },
  },
  {
    resourceType: 'Observation',
    id: 'b',
    status: 'final',
    code: { coding: [{ system: 'urn:s', code: 'c' }] },
    subject: { reference: 'Patient/p' },
  },
];

async function fill(server: TestServer): Promise<void> {
  for (const release of TESTED_RELEASES) {
    for (const resource of RESOURCES) {
      const { resourceType, id } = resource as { resourceType: string; id: string };
      const path = `${server.path('system', release)}/${resourceType}/${id}`;
      expect((await server.request('PUT', path, resource)).status).toBe(201);
    }
  }
}

describe('a search of a disconnected client', () => {
  let server: TestServer;
  let owner: Client;
  beforeAll(async () => {
    server = await startServer({
      // A repeated search would be answered without the statements under test.
      environment: { STATEMENT_TIMEOUT_MS: '60000', REQUEST_TIMEOUT_MS: '60000', SEARCH_CACHE_MB: '0' },
    });
    owner = await openOwner(server);
    await fill(server);
  });
  afterAll(async () => {
    await owner.end();
    await server.close();
  });

  it.each([
    ['by name', 'string_index', '/Patient?name=smith'],
    ['by a code', 'token_index', '/Observation?code=c'],
    [
      'by two parameters, whose matches are counted first',
      'token_index',
      '/Observation?code=c&subject=Patient/p',
    ],
    ['with a total', 'string_index', '/Patient?name=smith&_total=accurate'],
    ['that only counts', 'string_index', '/Patient?name=smith&_summary=count'],
    ['that is sorted by several keys', 'string_index', '/Patient?name=smith&_sort=family,-_id'],
    ['with what refers to the matches', 'reference_index', '/Patient?_id=p&_revinclude=Observation:subject'],
    ['along a chain', 'string_index', '/Observation?subject:Patient.name=smith'],
    ['by words', 'resource_version', '/Patient?_content=smith'],
    ['of a conformance type', 'uri_index', '/ValueSet?url=http://example.org/none'],
    ['over several types', 'string_index', '?_type=Patient,Organization&name=smith'],
    ['in a compartment', 'reference_index', '/Patient/p/*'],
  ])('%s: is cancelled in PostgreSQL within a second', async (_title, table, search) => {
    await whileLocked(server, table, async () => {
      const pending = open(server.root('system', 'r4') + search);
      await untilWaiting(owner);
      await pending.leave();
      expect((await untilIdle(owner)) / slowness()).toBeLessThan(1000);
    });
    expect((await server.request('GET', server.path('system', 'r4') + search)).status).toBe(200);
  });

  it('by GraphQL: is cancelled in PostgreSQL within a second', async () => {
    const query = '{ search(type: Patient, query: "name=smith") { resources { id } } }';
    await whileLocked(server, 'string_index', async () => {
      const pending = open(server.root('system', 'r4').replace('/fhir/', '/graphql/'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      await untilWaiting(owner);
      await pending.leave();
      expect((await untilIdle(owner)) / slowness()).toBeLessThan(1000);
    });
  });

  /** Two statements of shared pages may be under way at once: later ones go together in the next one. */
  async function takeStatements(address: string): Promise<ReturnType<typeof open>[]> {
    const first = open(address);
    await untilWaiting(owner, 1);
    const second = open(address);
    await untilWaiting(owner, 2);
    return [first, second];
  }

  /** There is no signal that requests have arrived and wait for their statement. */
  const arrival = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 500));

  it('leaves a shared statement to the others, and cancels it as the last of them', async () => {
    const address = `${server.root('system', 'r4')}/Observation?code=c`;
    await whileLocked(server, 'token_index', async () => {
      const first = await takeStatements(address);
      const shared = [open(address), open(address), open(address)];
      await arrival();
      for (const each of first) await each.leave();
      await until(owner, `wait_event_type = 'Lock' and query like '%unnest%'`, (count) => count === 1);
      await untilWaiting(owner, 1);
      await shared[0]?.leave();
      await shared[1]?.leave();
      await arrival();
      await untilWaiting(owner, 1);
      await shared[2]?.leave();
      expect((await untilIdle(owner)) / slowness()).toBeLessThan(1000);
    });
  });

  it('does not cancel the statement of clients with the same search', async () => {
    const address = `${server.root('system', 'r4')}/Observation?code=c`;
    let staying: Promise<number>[] = [];
    await whileLocked(server, 'token_index', async () => {
      const first = await takeStatements(address);
      const [leaving, ...others] = [open(address), open(address), open(address)];
      await arrival();
      await leaving.leave();
      for (const each of first) await each.leave();
      staying = others.map(({ status }) => status);
      await untilWaiting(owner, 1);
    });
    expect(await Promise.all(staying)).toEqual([200, 200]);
  });

  it('leaves every connection usable for others, however often it happens', async () => {
    const path = `${server.path('system', 'r4')}/Patient?name=smith`;
    for (let round = 0; round < 20; round++) {
      const leaving = Array.from({ length: 8 }, () => open(server.base + path));
      await new Promise((resolve) => setTimeout(resolve, round));
      await Promise.allSettled(leaving.map((each) => each.leave()));
      const answers = await Promise.all(Array.from({ length: 8 }, () => server.request('GET', path)));
      expect(answers.map(({ json }) => json.entry.length)).toEqual(Array.from({ length: 8 }, () => 1));
    }
  });
});

describe('a search that meets a time limit', () => {
  let patient: TestServer;
  let owner: Client;
  beforeAll(async () => {
    patient = await startServer();
    owner = await openOwner(patient);
    await fill(patient);
  });
  afterAll(async () => {
    await owner.end();
    await patient.close();
  });

  describe.each([
    ['of its statement', { STATEMENT_TIMEOUT_MS: '300' }],
    ['of its request', { REQUEST_TIMEOUT_MS: '300' }],
  ])('%s', (_name, environment) => {
    let server: TestServer;
    beforeAll(async () => {
      server = await startServer({ database: patient.database, environment });
    });
    afterAll(() => server.close());

    it.each([
      ['string_index', '/Patient?name=smith', "scans all resources that match 'name'; narrow 'name'"],
      [
        'resource_version',
        '/Patient?_lastUpdated=gt2020&gender:not=male',
        "scans all resources of the type and tests each by '_lastUpdated', 'gender:not'",
      ],
      ['token_index', '/Observation?code=c&status=final', "narrow 'code', 'status'"],
      ['string_index', '/Observation?subject:Patient.name=smith', "narrow 'subject:Patient.name'"],
      ['resource_version', '/Patient', 'add a parameter that few of them match'],
      ['reference_index', '/Patient?_id=p&_revinclude=Observation:subject', "leave out '_revinclude'"],
      ['string_index', '/Patient?name=smith&_summary=count', 'or leave the total out'],
      ['string_index', '/Patient?name=smith&_sort=family,-_id', "narrow 'name'"],
      ['string_index', '?_type=Patient,Organization&name=smith', "narrow 'name'"],
    ])('on %s: %s gets an error that suggests what to narrow', async (table, search, expected) => {
      const answer = await whileLocked(server, table, () =>
        server.request('GET', server.path('system', 'r4') + search),
      );
      expect(answer.status).toBe(503);
      expect(answer.json).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'timeout' }] });
      expect(answer.json.issue[0].diagnostics).toContain(expected);
      expect(answer.json.issue[0].diagnostics).not.toMatch(/smith|final|male\b(?!')/);
      expect((await untilIdle(owner)) / slowness()).toBeLessThan(1000);
    });
  });
});
