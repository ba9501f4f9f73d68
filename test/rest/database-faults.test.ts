/** Requests during faults of the database or the network: each is answered, and each answer is true. */
import { Client } from 'pg';
import { countBeats } from '../support/beats';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { startLoggedServer, type LoggedServer } from '../support/logged-server';
import { startServer, type Answer, type TestServer } from '../support/server';
import { throughForwarder } from '../faults/database-through';
import { loss, startForwarder, type Forwarder } from '../faults/forwarder';

const ROOT = '/w/system/api/v1/fhir/r4';
const STATEMENT_TIMEOUT_MS = 1_000;

let database: TestDatabase;
let forwarder: Forwarder;
/** Reaches the database through the forwarder. */
let server: LoggedServer;
/** Reaches it directly: the state that others see. */
let witness: TestServer;
let operator: Client;

beforeAll(async () => {
  database = await createTestDatabase();
  forwarder = await startForwarder();
  server = await startLoggedServer(throughForwarder(database, forwarder));
  witness = await startServer({
    because: 'it has the same database as the one whose database fails',
    database,
  });
  operator = new Client(database.settings);
  await operator.connect();
});

afterAll(async () => {
  await operator.end();
  await witness.close();
  await server.close();
  await forwarder.close();
  await database.drop();
});

function patient(family: string, id?: string) {
  return { resourceType: 'Patient', ...(id === undefined ? {} : { id }), name: [{ family }] };
}

async function countStored(family: string): Promise<number> {
  const { json } = await witness.request('GET', `${ROOT}/Patient?family=${family}&_summary=count`);
  return json.total;
}

const status = async (path: string): Promise<number> => (await server.request('GET', path)).status;
const ready = (): Promise<Answer> => server.request('GET', '/health/ready');

async function recovered(): Promise<void> {
  // A hanging connection that was not used since would be used later.
  forwarder.breakOpen();
  await eventually(async () => (await ready()).status === 200);
  await eventually(async () => (await status(`${ROOT}/Patient/nobody`)) === 404);
}

describe('a write of which the answer is lost', () => {
  it('is answered as stored when it was stored, and stored once', async () => {
    const family = loss('answer');
    const { status, headers } = await server.request('POST', `${ROOT}/Patient`, patient(family));
    expect([status, await countStored(family)]).toEqual([201, 1]);
    expect(headers.location).toMatch(/\/_history\/1$/);
    expect(headers.etag).toBe('W/"1"');
  });

  it('is answered as not stored when it has not arrived, and may be sent again', async () => {
    const family = loss('statement');
    const answer = await server.request('POST', `${ROOT}/Patient`, patient(family));
    expect([answer.status, answer.headers['retry-after'], await countStored(family)]).toEqual([503, '1', 0]);
    expect(answer.text).toContain('lost before this was stored');
    expect((await server.request('POST', `${ROOT}/Patient`, patient(family))).status).toBe(201);
  });

  it('has its own answer when it shares a statement with others', async () => {
    const families = Array.from({ length: 30 }, (_, place) =>
      place === 7 ? loss('answer') : `Shared${100 + place}`,
    );
    const answers = await Promise.all(
      families.map((family) => server.request('POST', `${ROOT}/Patient`, patient(family))),
    );
    expect(answers.map(({ status }) => status)).toEqual(families.map(() => 201));
    for (const family of families) expect(await countStored(family)).toBe(1);
  });

  it('is a new version when it is an update, a patch or a delete', async () => {
    const [update, patch, remove] = [loss('answer'), loss('answer'), loss('answer')];
    for (const id of ['updated', 'patched', remove])
      await witness.request('PUT', `${ROOT}/Patient/${id}`, patient('Before', id));
    const updated = await server.request('PUT', `${ROOT}/Patient/updated`, patient(update, 'updated'));
    expect([updated.status, updated.headers.etag]).toEqual([200, 'W/"2"']);
    const change = [{ op: 'replace', path: '/name/0/family', value: patch }];
    const patched = await server.request('PATCH', `${ROOT}/Patient/patched`, change, {
      'content-type': 'application/json-patch+json',
    });
    expect([patched.status, patched.headers.etag, patched.text]).toEqual([
      ...[200, 'W/"2"'],
      expect.stringContaining(patch),
    ]);
    const removed = await server.request('DELETE', `${ROOT}/Patient/${remove}`);
    expect([removed.status, removed.headers.etag, removed.text]).toEqual([
      ...[200, 'W/"2"'],
      expect.not.stringContaining('error'),
    ]);
    expect((await witness.request('GET', `${ROOT}/Patient/${remove}`)).status).toBe(410);
    expect(await countStored(update)).toBe(1);
    expect(await countStored(patch)).toBe(1);
  });

  it('is answered truly when it is conditional, before its commit and after it', async () => {
    const create = (family: string, value: string): Promise<Answer> =>
      server.request(
        'POST',
        `${ROOT}/Patient`,
        { ...patient(family), identifier: [{ value }] },
        { 'if-none-exist': `identifier=${value}` },
      );
    const [committed, begun] = [loss('end'), loss('answer')];
    expect([(await create(committed, 'one')).status, await countStored(committed)]).toEqual([201, 1]);
    const answer = await create(begun, 'two');
    expect([answer.status, await countStored(begun)]).toEqual([503, 0]);
    expect(answer.text).toContain('nothing was changed');
  });

  it.each(['POST', 'PUT'])('is all or nothing when it is a transaction with %s', async (method) => {
    const families = [loss(method === 'POST' ? 'answer' : 'end'), 'Second', 'Third'];
    const entry = families.map((family, place) => {
      const id = `in-transaction-${place}`;
      if (method === 'POST') return { resource: patient(family), request: { method, url: 'Patient' } };
      return { resource: patient(family, id), request: { method, url: `Patient/${id}` } };
    });
    const answer = await server.request('POST', ROOT, { resourceType: 'Bundle', type: 'transaction', entry });
    expect(answer.status).toBe(200);
    expect(answer.json.entry).toHaveLength(3);
    for (const { response } of answer.json.entry) {
      expect((await witness.request('GET', new URL(response.location).pathname)).status).toBe(200);
    }
    expect(await countStored(families[0] ?? '')).toBe(1);
  });

  it('is accepted once when it is to be answered later', async () => {
    const family = loss('answer');
    const entry = [{ resource: patient(family), request: { method: 'POST', url: 'Patient' } }];
    const bundle = { resourceType: 'Bundle', type: 'batch', entry };
    const { status, headers } = await server.request('POST', ROOT, bundle, { prefer: 'respond-async' });
    expect(status).toBe(202);
    const place = new URL(String(headers['content-location'])).pathname;
    await eventually(async () => (await server.request('GET', place)).status !== 202);
    expect(await countStored(family)).toBe(1);
  });

  it('is a new tenant when it makes one', async () => {
    const name = `${loss('end')}tenant`;
    const json = { 'content-type': 'application/json' };
    const made = await server.request('POST', '/w/system/api/v1/tenants', { name }, json);
    expect(made.status).toBe(201);
    expect((await witness.request('GET', `/w/${name}/api/v1/fhir/r4/metadata`)).status).toBe(200);
  });

  it('is not stored later than its answer', async () => {
    const family = 'WaitedForALock';
    await operator.query('begin');
    await operator.query('lock table andiron.resource_version in share row exclusive mode');
    const answered = server.request('POST', `${ROOT}/Patient`, patient(family));
    await eventually(async () => {
      const { rows } = await operator.query<{ waiting: boolean }>(
        `select exists (select from pg_locks l join pg_stat_activity a using (pid)
          where not l.granted and a.datname = current_database()) as waiting`,
      );
      return rows[0]?.waiting === true;
    });
    forwarder.breakOpen();
    const answer = await answered;
    await operator.query('rollback');
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.text).toContain('nothing was changed');
    expect(await countStored(family)).toBe(0);
  });
});

describe('connections that forward nothing any more', () => {
  it('are abandoned soon after the statement timeout, and replaced', async () => {
    await recovered();
    const hasty = await startLoggedServer(throughForwarder(database, forwarder), {
      STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS),
    });
    // New connections are not affected: each request must find an idle one.
    await hasty.request('GET', `${ROOT}/Patient/somebody`);
    await hasty.request('GET', `${ROOT}/Patient?family=somebody`);
    await hasty.request('POST', `${ROOT}/Patient`, patient('OnAnOpenConnection'));
    forwarder.hang();
    const beats = countBeats();
    const began = performance.now();
    const answers = await Promise.all([
      hasty.request('GET', `${ROOT}/Patient/nobody`),
      hasty.request('GET', `${ROOT}/Patient?family=nobody`),
      hasty.request('POST', `${ROOT}/Patient`, patient('OnAHungConnection')),
    ]);
    const took = performance.now() - began;
    // A connection whose check of row-level security is due is replaced before the request uses it.
    const [read, search, write] = answers;
    expect([404, 503]).toContain(read.status);
    expect([200, 503]).toContain(search.status);
    expect(took).toBeGreaterThan(STATEMENT_TIMEOUT_MS);
    expect(beats.stop()).toBeLessThan(STATEMENT_TIMEOUT_MS + 8_000);
    // It hangs at the write, or at what is read before it; the count says that neither has stored anything.
    if (write.status !== 201) {
      expect(write.status).toBe(503);
      expect(write.text).toMatch(
        /nothing was changed|The database cannot be reached at the moment; try again/,
      );
    }
    expect(await countStored('OnAHungConnection')).toBe(write.status === 201 ? 1 : 0);
    await recovered();
    expect((await hasty.request('POST', `${ROOT}/Patient`, patient('Afterwards'))).status).toBe(201);
    await hasty.close();
  });

  it('do not delay the readiness check', async () => {
    await recovered();
    forwarder.hang();
    const beats = countBeats();
    expect((await ready()).status).toBe(503);
    expect(beats.stop()).toBeLessThan(4_000);
    await recovered();
  });
});

describe('a database that refuses statements', () => {
  const linesAfter = (start: number, word: string): readonly string[] =>
    server.lines.slice(start).filter((line) => line.includes(word));

  it('reports that its disk is full, once in the log, and is not ready', async () => {
    await recovered();
    const start = server.lines.length;
    await operator.query(`
      create function andiron.refuse() returns trigger language plpgsql
      as $$ begin raise exception 'no room' using errcode = '53100'; end $$`);
    await operator.query(`
      create trigger refuse before insert on andiron.resource_version
      for each row execute function andiron.refuse()`);
    for (let count = 0; count < 4; count++) {
      const { status, headers, text } = await server.request('POST', `${ROOT}/Patient`, patient('Full'));
      expect([status, headers['retry-after']]).toEqual([503, '1']);
      expect(text).toContain('no space left on its disk; nothing was changed');
    }
    expect((await server.request('GET', `${ROOT}/Patient?family=Full`)).status).toBe(200);
    const { status, json } = await ready();
    expect([status, json.notices]).toEqual([503, [expect.stringContaining('run out of disk')]]);
    expect(linesAfter(start, 'run out of disk')).toHaveLength(1);
    await operator.query('drop trigger refuse on andiron.resource_version');
    await operator.query('drop function andiron.refuse');
    expect((await server.request('POST', `${ROOT}/Patient`, patient('Roomy'))).status).toBe(201);
    expect((await ready()).status).toBe(200);
    expect(linesAfter(start, 'run out of disk')).toEqual([
      expect.anything(),
      expect.stringContaining('this is over'),
    ]);
  });

  it('says that it is a standby, and statements use another connection afterwards', async () => {
    await recovered();
    const { database: name } = database.settings;
    await operator.query(`alter database "${name}" set default_transaction_read_only = on`);
    forwarder.breakOpen();
    await eventually(async () => {
      const { text } = await server.request('POST', `${ROOT}/Patient`, patient('OnAStandby'));
      return text.includes('it is a standby; nothing was changed');
    });
    expect((await ready()).json.notices).toEqual([expect.stringContaining('standby')]);
    expect(await status(`${ROOT}/Patient?family=OnAStandby`)).toBe(200);
    await operator.query(`alter database "${name}" reset default_transaction_read_only`);
    await eventually(
      async () => (await server.request('POST', `${ROOT}/Patient`, patient('OnThePrimary'))).status === 201,
    );
    expect(await countStored('OnAStandby')).toBe(0);
  });

  it('is reported as down once in the log, however many requests fail', async () => {
    await recovered();
    await eventually(async () => linesAfter(0, 'cannot be reached').length % 2 === 0);
    const start = server.lines.length;
    forwarder.cut();
    for (let count = 0; count < 5; count++) {
      expect(await status(`${ROOT}/Patient/nobody`)).toBe(503);
      expect(await status(`${ROOT}/Patient?family=nobody`)).toBe(503);
      expect((await server.request('POST', `${ROOT}/Patient`, patient('Away'))).status).toBe(503);
    }
    expect(await status('/health/ready')).toBe(503);
    forwarder.point(database.settings.port);
    await recovered();
    await eventually(async () => linesAfter(start, 'this is over').length > 0);
    expect(server.lines.slice(start)).toEqual([
      'The database cannot be reached',
      'The database cannot be reached: this is over',
    ]);
  });
});

it('a request is answered at its deadline independent of its statement, and says what may have been stored', async () => {
  const hasty = await startLoggedServer(database, {
    REQUEST_TIMEOUT_MS: '1500',
  });
  try {
    await eventually(
      async () => (await hasty.request('POST', `${ROOT}/Patient`, patient('First'))).status === 201,
    );
    const graphql = (query: string) =>
      hasty.request('POST', '/w/system/api/v1/graphql/r4', { query }, { 'content-type': 'application/json' });
    // The first mutation makes the schema, which may take until its deadline.
    await eventually(async () => {
      const { json } = await graphql('mutation { delete(type: Patient, id: "nobody") { versionId } }');
      return json.errors === undefined;
    });
    await operator.query('begin');
    await operator.query('lock table andiron.resource_version, andiron.resource');
    const beats = countBeats();
    const [read, create, query, change, operation] = await Promise.all([
      hasty.request('GET', `${ROOT}/Patient/nobody`),
      hasty.request('POST', `${ROOT}/Patient`, patient('AtTheDeadline')),
      graphql('{ Patient(id: "nobody") { id } }'),
      graphql('mutation { delete(type: Patient, id: "nobody") { versionId } }'),
      hasty.request('POST', `${ROOT}/Patient/nobody/$meta`),
    ]);
    expect(beats.stop()).toBeLessThan(8_000);
    expect([read.status, read.headers['retry-after']]).toEqual([503, '1']);
    expect([create.status, create.headers['retry-after']]).toEqual([503, undefined]);
    expect(create.json.issue[0].diagnostics).toContain('may have been stored');
    // A request that changes nothing may be sent again, by whatever method it was sent.
    expect([query.status, query.headers['retry-after'], query.json.errors.length]).toEqual([503, '1', 1]);
    expect(query.json.errors[0].message).toContain('nothing was changed');
    expect([change.status, change.headers['retry-after']]).toEqual([503, undefined]);
    expect(change.json.errors[0].message).toContain('may have been stored');
    expect([operation.status, operation.headers['retry-after']]).toEqual([503, '1']);
    await operator.query('rollback');
    await eventually(async () => (await countStored('AtTheDeadline')) === 1);
  } finally {
    await operator.query('rollback');
    await hasty.close();
  }
});
