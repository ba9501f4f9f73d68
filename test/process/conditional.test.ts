/** Conditional writes over two server processes of one database: https://hl7.org/fhir/R4/http.html#ccreate. */
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import type { Answer } from '../support/http';
import { startProcess, type ServerProcess } from '../support/process';

let database: TestDatabase;
let servers: readonly ServerProcess[];
beforeAll(async () => {
  database = await createTestDatabase();
  servers = await Promise.all([
    startProcess({ because: 'two processes with one database', database }),
    startProcess({ because: 'the second of them', database }),
  ]);
  for (const name of ['north', 'south']) {
    const made = await servers[0]?.request(
      'POST',
      '/w/system/api/v1/tenants',
      { name },
      { 'content-type': 'application/json' },
    );
    expect(made?.status).toBe(201);
  }
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await database.drop();
});

const SPACES = [
  ['north', 'r4'],
  ['south', 'r4b'],
] as const;
const SYSTEM = 'http://hospital.example/mrn';

/** Asks every server in turn. */
async function sendAll(
  many: number,
  send: (server: ServerProcess, number: number) => Promise<Answer>,
): Promise<readonly Answer[]> {
  return Promise.all(
    Array.from({ length: many }, (_, number) => {
      const server = servers[Math.floor(number / 3) % servers.length];
      if (server === undefined) throw new Error('there is no server');
      return send(server, number);
    }),
  );
}

const patient = (value: string, family: string): object => ({
  resourceType: 'Patient',
  active: true,
  birthDate: '1970-01-02',
  identifier: [{ system: SYSTEM, value }],
  name: [{ family }],
});

let last = 0;
const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();

it.each<[string, (value: string) => readonly string[]]>([
  ['with the same criteria', (value) => [`identifier=${SYSTEM}|${value}`]],
  [
    'with criteria in other words',
    (value) => [
      `identifier=${SYSTEM}|${value}`,
      `identifier=${encodeURIComponent(`${SYSTEM}|${value}`)}`,
      `identifier=${value}`,
      `identifier=nobody,${value.toUpperCase()}`,
      `active=true&identifier=${value}`,
      `birthdate=1970&identifier=${value}&active=true`,
    ],
  ],
  ['on condition of a name', (value) => [`family=family-${value}`, `name=family-${value}&active=true`]],
])('fifty creates %s make one resource in each of two tenants', async (_title, spell) => {
  const value = `m${++last}`;
  const spellings = spell(value);
  const perTenant = await Promise.all(
    SPACES.map(([tenant, release]) =>
      sendAll(50, (server, number) =>
        server.request('POST', `${server.path(tenant, release)}/Patient`, patient(value, `family-${value}`), {
          'if-none-exist': spellings[number % spellings.length] ?? '',
        }),
      ),
    ),
  );
  for (const answers of perTenant) {
    expect(statuses(answers)).toEqual([...Array<number>(49).fill(200), 201]);
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1);
  }
  for (const [tenant, release] of SPACES) {
    const [found] = await sendAll(1, (server) =>
      server.request('GET', `${server.path(tenant, release)}/Patient?identifier=${value}`),
    );
    expect(found?.json.total).toBe(1);
  }
});

it('concurrent creates with the same criteria in different orders make one resource in each tenant', async () => {
  for (let round = 0; round < 4; round++) {
    const values = ['a', 'b', 'c'].map((name) => `${name}${++last}`);
    const [a = '', b = '', c = ''] = values;
    const spellings = [
      [a, b, c],
      [c, b, a],
      [b, a],
      [c, a],
      [b, c, a],
    ].flatMap((order) => [
      `identifier=${order.join(',')}`,
      order.map((value) => `identifier=${SYSTEM}|${value}`).join('&'),
    ]);
    const body = {
      ...patient(a, 'ordered'),
      identifier: values.map((value) => ({ system: SYSTEM, value })),
    };
    const perTenant = await Promise.all(
      SPACES.map(([tenant, release]) =>
        sendAll(40, (server, number) =>
          server.request('POST', `${server.path(tenant, release)}/Patient`, body, {
            'if-none-exist': spellings[number % spellings.length] ?? '',
          }),
        ),
      ),
    );
    for (const answers of perTenant) expect(statuses(answers)).toEqual([...Array<number>(39).fill(200), 201]);
  }
});

it('updates by criteria each make one version of one resource, among creates of the same', async () => {
  const [tenant, release] = SPACES[0];
  const MANY = 10;
  const isUpdate = (number: number): boolean => Math.floor(number / MANY) % 2 === 0;
  const answers = await sendAll(8 * MANY, (server, number) => {
    const root = `${server.path(tenant, release)}/Patient`;
    const value = `updated-${number % MANY}`;
    const body = patient(value, `n${number}`);
    return isUpdate(number)
      ? server.request('PUT', `${root}?identifier=${SYSTEM}|${value}`, body)
      : server.request('POST', root, body, { 'if-none-exist': `identifier=${value}` });
  });
  for (let each = 0; each < MANY; each++) {
    const own = answers.filter((_answer, number) => number % MANY === each);
    expect(statuses(own)).toEqual([...Array<number>(7).fill(200), 201]);
    const id = own[0]?.json.id;
    const [history] = await sendAll(1, (server) =>
      server.request('GET', `${server.path(tenant, release)}/Patient/${id}/_history`),
    );
    const updated = answers.filter(
      ({ status }, number) => number % MANY === each && status === 200 && isUpdate(number),
    );
    expect(history?.json.total).toBe(1 + updated.length);
  }
});

it('patches by criteria change the current match, while others change it', async () => {
  const [tenant, release] = SPACES[1];
  const value = 'contended';
  const [made] = await sendAll(1, (server) =>
    server.request('POST', `${server.path(tenant, release)}/Patient`, patient(value, 'first')),
  );
  const id = made?.json.id;
  const PUTS_EACH = 15;
  let patched = 0;
  const twice = (work: (server: ServerProcess, offset: number) => Promise<void>): Promise<void>[] =>
    servers.flatMap((server) => [0, 1].map(async (offset) => work(server, offset)));
  let putting = 2 * servers.length;
  const allPut = PUTS_EACH * putting;
  await Promise.all([
    ...twice(async (server, offset) => {
      try {
        for (let step = 0; step < PUTS_EACH; step++) {
          const number = 2 * step + offset;
          const body = { ...patient(value, `n${number}`), id, active: number % 3 !== 0 };
          const answer = await server.request('PUT', `${server.path(tenant, release)}/Patient/${id}`, body);
          expect(answer.status).toBe(200);
        }
      } finally {
        putting--;
      }
    }),
    // For as long as others change it, however fast these are.
    ...twice(async (server, offset) => {
      while (putting > 0) {
        const answer = await server.request(
          'PATCH',
          `${server.path(tenant, release)}/Patient?identifier=${value}&active=true`,
          [{ op: 'add', path: '/name/-', value: { text: `p${offset}` } }],
          { 'content-type': 'application/json-patch+json' },
        );
        expect([200, 404]).toContain(answer.status);
        if (answer.status === 200) patched++;
      }
    }),
  ]);
  const [history] = await sendAll(1, (server) =>
    server.request('GET', `${server.path(tenant, release)}/Patient/${id}/_history?_count=1000`),
  );
  const versions: { active: boolean; name: { text?: string }[] }[] = history?.json.entry
    .map(({ resource }: { resource: object }) => resource)
    .reverse();
  expect(versions).toHaveLength(1 + allPut + patched);
  expect(patched).toBeGreaterThan(0);
  // Each patch made a version of one that met the criteria.
  for (const [index, { name, active }] of versions.entries())
    if (name.at(-1)?.text !== undefined) expect([active, versions[index - 1]?.active]).toEqual([true, true]);
});

it('none of these waited for each other in a circle, and few were retried', async () => {
  await Promise.all(servers.map((server) => server.close()));
  servers = [];
  const owner = new Client(database.settings);
  await owner.connect();
  try {
    // The counts of a connection are reported when it ends.
    const others = async (): Promise<number> => {
      const { rows } = await owner.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      );
      return rows[0]?.count ?? 0;
    };
    while ((await others()) > 0) await setTimeout(20);
    const { rows } = await owner.query<{ deadlocks: number; rollbacks: number; commits: number }>(
      `select deadlocks::int, xact_rollback::int as rollbacks, xact_commit::int as commits
         from pg_stat_database where datname = current_database()`,
    );
    const [counts] = rows;
    if (counts === undefined) throw new Error('the database has no counts');
    expect(counts.deadlocks).toBe(0);
    expect(counts.rollbacks).toBeLessThan(counts.commits / 4);
  } finally {
    await owner.end();
  }
});
