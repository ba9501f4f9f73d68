/**
 * Every process refuses a client that has lost access, and stops its running requests (docs/run/access-rules.md). The second
 * process here has no Redis, so it must find out from the database.
 */
import { request as open } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { fhirError, type RequestContext } from '../../src/core';
import { makeClient, makeKey, serveKeys, toBasic, toJwt, WITH_LOCAL_KEYS } from '../support/access';
import { getToken } from '../support/credentials';
import { silentLog } from '../support/log';
import { patientDeadline } from '../support/patience';
import { startServer, type Answer, type TestServer } from '../support/server';

const ROOT = '/w/acme/api/v1/fhir/r4';
const FHIR_JSON = { 'content-type': 'application/fhir+json' };

let server: TestServer;
let other: TestServer;
beforeAll(async () => {
  server = await startServer({
    because: 'a second process without Redis, and locks in its database',
    environment: { ...WITH_LOCAL_KEYS, AUTH_MODE: 'enforced', VALIDATION: 'structure' },
  });
  other = await startServer({
    database: server.database,
    environment: { ...WITH_LOCAL_KEYS, AUTH_MODE: 'enforced', REDIS_PORT: '1' },
  });
  await server.app.core.tenants.create('acme');
});
afterAll(async () => {
  await other.close();
  await server.close();
});

const statusAt = async (at: TestServer, authorization: string): Promise<number> =>
  (await at.request('GET', `${ROOT}/Patient`, undefined, { authorization })).status;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await delay(20);
}

it('a secret, client or issuer that one process removes is soon refused by another one, without Redis too', async () => {
  const { clients, issuers } = server.app.core.tenants;
  const key = makeKey('idp', 'P-256');
  const keys = await serveKeys([key]);
  const secretive = await makeClient(server.app.core, 'acme');
  const disabled = await makeClient(server.app.core, 'acme');
  const portal = await makeClient(server.app.core, 'acme');
  const issuer = 'https://login.hospital.example';
  const given = { issuer, client: portal.id, audience: 'andiron', jwksUrl: keys.url };
  await issuers.put('acme', given);
  const claims = { iss: issuer, aud: 'andiron', exp: Math.floor(Date.now() / 1000) + 600 };
  const outside = toJwt(
    { alg: 'ES256', kid: 'idp' },
    { ...claims, scope: 'system/*.rs', sub: 'u' },
    key.privateKey,
  );
  const spare = await clients.addSecret('acme', secretive.id);
  const credentials = [
    secretive.basic,
    disabled.basic,
    `Bearer ${await getToken(server, 'acme', disabled)}`,
    `Bearer ${outside}`,
  ];
  for (const each of credentials)
    expect([await statusAt(server, each), await statusAt(other, each)]).toEqual([200, 200]);
  const [first] = (await clients.find('acme', secretive.id))?.secrets ?? [];
  expect(await clients.removeSecret('acme', secretive.id, first?.id ?? '')).toBe(true);
  await clients.change('acme', disabled.id, { isDisabled: true });
  expect(await issuers.remove('acme', issuer)).toBe(true);
  for (const each of credentials) {
    expect(await statusAt(server, each)).toBe(401);
    await until(async () => (await statusAt(other, each)) === 401);
  }
  expect(await statusAt(other, toBasic(secretive.id, spare?.secret ?? ''))).toBe(200);
  await keys.close();
});

describe('requests in progress', () => {
  let owner: Client;
  beforeAll(async () => {
    owner = new Client(server.database.settings);
    await owner.connect();
  });
  afterAll(() => owner.end());
  /** Nothing of resources can be read or written until `unlock`. */
  const lock = async (): Promise<void> => {
    await owner.query('begin');
    await owner.query('lock table andiron.resource in access exclusive mode');
  };
  const unlock = () => owner.query('rollback');
  const waiting = async (): Promise<number> => {
    const { rows } = await owner.query<{ count: number }>(
      `select count(*)::int as count from pg_locks l join pg_database d on d.oid = l.database
        where not l.granted and d.datname = current_database()`,
    );
    return rows[0]?.count ?? 0;
  };

  it('an asynchronous search stops with the reason', async () => {
    const client = await makeClient(server.app.core, 'acme');
    const ours = await makeClient(server.app.core, 'acme', { isAdministrator: true });
    await lock();
    const accepted = await server.request('GET', `${ROOT}/Basic?_count=7`, undefined, {
      ...{ prefer: 'respond-async', authorization: client.basic },
    });
    const at = new URL(String(accepted.headers['content-location'])).pathname;
    const readStatus = (): Promise<Answer> =>
      server.request('GET', at, undefined, { authorization: ours.basic });
    await until(async () => String((await readStatus()).headers['x-progress']).startsWith('under way'));
    await until(async () => (await waiting()) > 0);
    await server.app.core.tenants.clients.change('acme', client.id, { isDisabled: true });
    let answer = await readStatus();
    for (; answer.status === 202; answer = await readStatus()) await delay(20);
    await unlock();
    expect([answer.status, answer.json.issue[0].diagnostics]).toEqual([
      401,
      expect.stringContaining('no longer allowed to do this'),
    ]);
  });

  it.each([
    ['batch', 32],
    ['transaction', 0],
  ])('a %s executes no further step', async (type, done) => {
    const { core } = server.app;
    const space = await core.access.findSpace('acme', 'r4');
    if (space === undefined) throw new Error('acme is not there');
    const revoked = new AbortController();
    const context: RequestContext = {
      ...{ space, actor: 'ward', requestId: 'x', log: silentLog, deadline: patientDeadline() },
      revoked: revoked.signal,
    };
    const entry = Array.from({ length: 40 }, (_, place) => ({
      resource: { resourceType: 'Basic', code: { text: type } },
      request: { method: 'POST', url: `Basic?${place}`.slice(0, 5) },
    }));
    await lock();
    const text = JSON.stringify({ resourceType: 'Bundle', type, entry });
    const answer = core.interactions.bundle(context, { input: { text }, handling: 'strict' }).then(
      ({ entries }) => entries.map((each) => (each.kind === 'failed' ? each.error.key : each.kind)),
      (error: unknown) => error,
    );
    await until(async () => (await waiting()) > 0);
    const refusal = fhirError('unauthorized', { reason: 'not any more' });
    revoked.abort(refusal);
    await unlock();
    const all = ['written', 'unauthorized'].flatMap((each, place) =>
      Array.from({ length: place === 0 ? done : 40 - done }, () => each),
    );
    expect(await answer).toEqual(type === 'batch' ? all : refusal);
    const { matches } = await core.interactions.search(
      { ...context, revoked: new AbortController().signal },
      {
        type: 'Basic',
        parameters: [
          ['code:text', type],
          ['_count', '100'],
        ],
      },
    );
    expect(matches).toHaveLength(done);
  });

  it('an import ends when its administrator loses the right, and another one resumes it', async () => {
    const { core } = server.app;
    const [first, second] = [
      await makeClient(core, 'system', { isAdministrator: true }),
      await makeClient(core, 'system', { isAdministrator: true }),
    ];
    const writer = await makeClient(core, 'acme');
    const entry = Array.from({ length: 150 }, (_, place) => ({
      resource: { resourceType: 'Patient', id: `p${place}` },
      request: { method: 'PUT', url: `Patient/p${place}` },
    }));
    const bundle = { resourceType: 'Bundle', type: 'transaction', entry };
    expect(
      (await server.request('POST', ROOT, bundle, { ...FHIR_JSON, authorization: writer.basic })).status,
    ).toBe(200);
    const tenants = '/w/system/api/v1/tenants';
    const out = await server.request('GET', `${tenants}/acme/export`, undefined, {
      authorization: first.basic,
    });
    const lines = out.text.split('\n').map((line) => `${line}\n`);
    expect(lines.length).toBeGreaterThan(150);
    const life = { isOver: false };
    const ended = new Promise<[status: number | undefined, text: string]>((resolve, reject) => {
      const headers = { 'content-type': 'application/x-ndjson', authorization: first.basic };
      const sending = open(
        `${server.base}${tenants}/copy/import`,
        { method: 'POST', headers, agent: false },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('end', () => {
            life.isOver = true;
            sending.destroy();
            resolve([response.statusCode, Buffer.concat(parts).toString()]);
          });
        },
      );
      sending.on('error', (error) => (life.isOver ? undefined : reject(error)));
      void (async () => {
        for (const line of lines) {
          if (life.isOver) return;
          sending.write(line);
          if (line === lines[20]) await core.tenants.clients.change('system', first.id, { isDisabled: true });
          await delay(30);
        }
        sending.end();
      })();
    });
    const [status, text] = await ended;
    expect([status, text]).toEqual([401, expect.stringContaining('no longer allowed to do this')]);
    const again = await server.request('POST', `${tenants}/copy/import`, out.text, {
      ...{ 'content-type': 'application/x-ndjson', authorization: second.basic },
    });
    expect([again.status, again.json.name]).toEqual([201, 'copy']);
  });
});
