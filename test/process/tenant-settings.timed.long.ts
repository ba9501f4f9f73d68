/** Settings of a tenant, with two server processes on one database, and the command that sets them. */
import { execFile, type ExecFileException } from 'node:child_process';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Release } from '../../src/core';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startProcess, type ServerProcess } from '../support/process';
import { toEnvironment } from '../support/server';

const JSON_TYPE = { 'content-type': 'application/json' };
const TENANTS = '/w/system/api/v1/tenants';
/** A changed setting takes effect in every process within this time (docs/reference/behaviour.md, Tenants and releases). */
const FRESH_MS = 2_000;

let database: TestDatabase;
let servers: readonly ServerProcess[];
beforeAll(async () => {
  database = await createTestDatabase();
  servers = await Promise.all([startProcess({ database }), startProcess({ database })]);
  for (const name of ['strict', 'lenient']) await administer(0, 'POST', '', { name });
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await database.drop();
});

function serverOf(index: number): ServerProcess {
  const server = servers[index];
  if (server === undefined) throw new Error('no such server');
  return server;
}

function administer(index: number, method: string, name: string, body?: unknown) {
  return serverOf(index).request(method, TENANTS + (name === '' ? '' : `/${name}`), body, JSON_TYPE);
}

function run(...args: string[]): Promise<{ code: number; output: string; errors: string }> {
  const cli = path.resolve(__dirname, '..', '..', 'dist', 'src', 'cli.js');
  const env = { PATH: process.env['PATH'], ...toEnvironment(database) };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [cli, 'tenant', ...args],
      { env },
      (error: ExecFileException | null, output, errors) => {
        resolve({ code: Number(error?.code ?? 0), output, errors });
      },
    );
  });
}

const wrongCode = { resourceType: 'Patient', gender: 'masculine' };

async function answersOf(index: number, tenant: string, release: Release): Promise<readonly number[]> {
  const server = serverOf(index);
  const root = server.path(tenant, release);
  const written = await server.request('POST', `${root}/Patient`, wrongCode);
  const malformed = await server.request('POST', `${root}/Patient`, { ...wrongCode, nonsense: 1 });
  const searched = await server.request('GET', `${root}/Patient?colour=blue`);
  return [written.status, malformed.status, searched.status];
}

const STRICT = [422, 400, 400];
const LENIENT = [201, 400, 200];

it('a change in one process applies in the other within 2 s, in both releases, and for that tenant alone', async () => {
  for (const release of ['r4', 'r4b'] as const)
    for (const index of [0, 1]) expect(await answersOf(index, 'lenient', release)).toEqual(STRICT);
  const settings = { validation: 'structure', 'search-unknown': 'lenient' };
  const changed = await administer(0, 'PATCH', 'lenient', { settings });
  expect([changed.status, changed.json.settings, changed.json.own]).toEqual([
    200,
    {
      ...settings,
      'conditional-delete': 'single',
      'max-requests': 'off',
      'notification-hosts': 'off',
      'quota-bytes': 'off',
      'quota-resources': 'off',
      'rate-limit': 'off',
      'rate-limit-client': 'off',
      'record-opens': 'off',
      'referential-integrity': 'off',
      'second-factor': 'optional',
      'time-zone': 'UTC',
    },
    ['validation', 'search-unknown'],
  ]);
  await delay(FRESH_MS);
  for (const release of ['r4', 'r4b'] as const) {
    for (const index of [0, 1]) {
      expect(await answersOf(index, 'lenient', release)).toEqual(LENIENT);
      expect(await answersOf(index, 'strict', release)).toEqual(STRICT);
    }
  }
});

it('null resets a setting to the default of the server, and no other', async () => {
  await administer(0, 'PATCH', 'lenient', {
    settings: { validation: 'structure', 'search-unknown': 'lenient' },
  });
  await administer(1, 'PATCH', 'lenient', { settings: { validation: null } });
  const { json } = await administer(0, 'GET', 'lenient');
  expect(json).toMatchObject({
    name: 'lenient',
    status: 'active',
    settings: { validation: 'full', 'search-unknown': 'lenient' },
    own: ['search-unknown'],
  });
});

it.each<[unknown]>([
  [{ settings: { colour: 'blue' } }],
  [{ settings: { validation: 'none' } }],
  [{ settings: { validation: true } }],
  [{ settings: { validation: 'structure', 'search-unknown': 'odd' } }],
  [{ settings: [] }],
  [{ settings: {}, status: 'gone' }],
  [{ settings: {}, colour: 'blue' }],
  [{}],
  [[]],
  ['{'],
])('an invalid setting is 400 and changes nothing: %j', async (body) => {
  const { status, json } = await administer(0, 'PATCH', 'strict', body);
  expect([status, json.resourceType]).toEqual([400, 'OperationOutcome']);
  expect((await administer(0, 'GET', 'strict')).json.own).toEqual([]);
});

it('a tenant that does not exist is 404, another method 405', async () => {
  expect((await administer(0, 'GET', 'nobody')).status).toBe(404);
  expect((await administer(0, 'PATCH', 'nobody', { settings: { validation: 'full' } })).status).toBe(404);
  expect((await administer(0, 'PUT', 'strict', { settings: {} })).status).toBe(405);
  // Without its name said again.
  expect((await administer(0, 'DELETE', 'strict')).status).toBe(400);
});

it('andiron tenant set and show', async () => {
  await administer(0, 'POST', '', { name: 'commanded' });
  const set = await run('set', 'commanded', 'validation=structure', 'search-unknown=lenient');
  expect([set.code, set.errors]).toEqual([0, '']);
  expect(set.output).toContain('validation=structure\nsearch-unknown=lenient\n');
  await run('set', 'commanded', 'validation=');
  const shown = await run('show', 'commanded');
  expect(shown.output).toContain('validation=full  (default of the server)\nsearch-unknown=lenient\n');
  for (const [expected, ...words] of [
    [1, 'set', 'commanded', 'validation=odd'],
    [2, 'set', 'commanded', 'validation'],
    [1, 'set', 'nobody', 'validation=full'],
    [1, 'show', 'nobody'],
  ] as const) {
    const { code, output, errors } = await run(...words);
    expect([code, output]).toEqual([expected, '']);
    expect(errors).toMatch(/^andiron: [^\n]*\n$/);
  }
});
