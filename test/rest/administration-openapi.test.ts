/** The OpenAPI document of administration: it has every address, and requests and answers are as it says. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { makeFolder, packResources } from '../packages/make-package';
import { ASYNC, exportData, pathOf } from '../support/bulk';
import { eventually } from '../support/eventually';
import type { Answer } from '../support/http';
import { findMisfits, type Schema } from '../support/json-schema';
import { startServer, type TestServer } from '../support/server';
import { whileNothingIsWritten } from '../support/write-lock';

const VALIDATOR = path.join(__dirname, '../support/validate-openapi.mjs');
const COMMITTED = path.join(__dirname, '../../schema/administration.openapi.json');
const COMMITTED_OF_TENANTS = path.join(__dirname, '../../schema/tenant-administration.openapi.json');
const ROOT = '/w/system/api/v1';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;
interface Operation {
  readonly operationId: string;
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly $ref?: string }>>;
}
type Document = Schema & { readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> };

let server: TestServer;
let document: Document;
/** Operations that were answered with success. */
const answered = new Set<string>();

beforeAll(async () => {
  server = await startServer({ because: 'the tests read its routes, and write past it' });
  const { status, headers, json } = await server.request('GET', `${ROOT}/openapi.json`);
  expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
  document = json;
});
afterAll(() => server.close());

/** Past the pages, on which only a person with an app sets one up. */
async function addSecondFactor(account: string): Promise<void> {
  const owner = new Client(server.database.settings);
  await owner.connect();
  await owner.query(
    `insert into andiron.second_factor (tenant, account, hash, placeholder, secret, last_step, recovery)
     select tenant, id, hash, 'none', '', 0, '{}' from andiron.user_account where id = $1`,
    [account],
  );
  await owner.end();
}

/** The operation of a request by its path without a query. */
function operationOf(method: string, place: string): Operation {
  for (const [template, item] of Object.entries(document.paths)) {
    const pattern = new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
    const operation = item[method.toLowerCase()];
    if (pattern.test(place) && operation !== undefined) return operation;
  }
  throw new Error(`${method} ${place} is not described`);
}

/** A batch, which runs until it may write. */
const ASYNCHRONOUS = {
  ...{ resourceType: 'Bundle', type: 'batch' },
  entry: [{ resource: { resourceType: 'Patient' }, request: { method: 'POST', url: 'Patient' } }],
};

/** Sends a request, and compares it and its answer with the document. */
async function send(
  method: string,
  place: string,
  body?: unknown,
  type = 'application/json',
): Promise<Answer> {
  const operation = operationOf(method, place.replace(/\?.*/, ''));
  const { operationId, requestBody, responses } = operation;
  const answer = await server.request(method, ROOT + place, body, { 'content-type': type });
  const isDone = answer.status < 300;
  if (isDone && body !== undefined) {
    const described = requestBody?.content[type];
    if (described === undefined) throw new Error(`${operationId} takes no ${type}`);
    if (type.endsWith('json') && type !== 'application/x-ndjson')
      expect([operationId, findMisfits(document, described.schema, body)]).toEqual([operationId, []]);
  }
  const response = responses[String(answer.status)];
  if (isDone && response === undefined) throw new Error(`${operationId}: ${answer.status} is not described`);
  const content = response?.content;
  const answeredType = String(answer.headers['content-type']).replace(/;.*/, '');
  const shape = isDone ? content?.[answeredType]?.schema : { $ref: '#/components/schemas/OperationOutcome' };
  if (shape === undefined) throw new Error(`${operationId}: ${answeredType} is not described`);
  if (!['application/x-ndjson', 'text/csv'].includes(answeredType))
    expect([operationId, findMisfits(document, shape, answer.json)]).toEqual([operationId, []]);
  if (isDone) answered.add(operationId);
  return answer;
}

async function ended(place: string): Promise<Answer['json']> {
  let job: Answer['json'];
  await eventually(async () => {
    ({ json: job } = await send('GET', place));
    return !['queued', 'running'].includes(job.state);
  });
  return job;
}

describe('the document', () => {
  it('is OpenAPI 3.1, and the committed one', () => {
    const { stdout } = spawnSync(process.execPath, [VALIDATOR], {
      input: JSON.stringify(document),
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toEqual({ valid: true, version: '3.1' });
    expect(document).toEqual(JSON.parse(readFileSync(COMMITTED, 'utf8')));
  });

  it('leads to the addresses, each operation has a name of its own, and its examples fit', () => {
    const servers = document['servers'] as { readonly url: string }[];
    expect(new URL(servers[0]?.url ?? '', `${server.base}${ROOT}/openapi.json`).href).toBe(
      `${server.base}${ROOT}`,
    );
    const operations = Object.values(document.paths).flatMap((item) =>
      METHODS.flatMap((method) => item[method] ?? []),
    );
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { requestBody } of operations)
      for (const { schema, example } of Object.values(requestBody?.content ?? {}))
        if (example !== undefined) expect(findMisfits(document, schema, example)).toEqual([]);
  });

  it('of a tenant is the committed one, for every tenant, and has every address that its administrators may use', async () => {
    const own = (await server.request('GET', '/w/system-2/api/v1/openapi.json')).json;
    const { stdout } = spawnSync(process.execPath, [VALIDATOR], { input: JSON.stringify(own), encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual({ valid: true, version: '3.1' });
    expect(own).toEqual(JSON.parse(readFileSync(COMMITTED_OF_TENANTS, 'utf8')));
    const patterns = new Set(server.app.routes.map(({ pattern }) => pattern));
    const served = [...patterns]
      .filter((pattern) => /^\/w\/:tenant\/api\/v1\/(?!fhir\/|graphql\/)/.test(pattern))
      .map((pattern) => pattern.slice('/w/:tenant/api/v1'.length).replace(/:(\w+)/g, '{$1}'));
    expect(served.sort()).toEqual(Object.keys(own.paths).sort());
    for (const [path, item] of Object.entries<Readonly<Record<string, Operation>>>(own.paths)) {
      const whole = document.paths[path] ?? document.paths[path === '/tenant' ? '/tenants/{tenant}' : `/tenants/{tenant}${path}`];
      for (const method of METHODS)
        if (item[method] !== undefined) expect(item[method]).toEqual(whole?.[method]);
    }
    const schemas = JSON.stringify(own.components.schemas);
    for (const name of Object.keys(own.components.schemas))
      expect([name, `${JSON.stringify(own.paths)}${schemas}`.includes(`schemas/${name}"`)]).toEqual([name, true]);
  }); // prettier-ignore

  it('has every address of the server with its methods, and no other', async () => {
    const patterns = new Set(
      server.app.routes.map(({ pattern }) => pattern).filter((pattern) => pattern.startsWith(`${ROOT}/`)),
    );
    const templates = [...patterns].map((pattern) =>
      pattern.slice(ROOT.length).replace(':name', '{tenant}').replace(/:(\w+)/g, '{$1}'),
    );
    expect(templates.sort()).toEqual(Object.keys(document.paths).sort());
    for (const [template, item] of Object.entries(document.paths))
      for (const method of METHODS) {
        const place = ROOT + template.replace(/\{\w+\}/g, 'nobody');
        const { status } = await server.request(method.toUpperCase(), place, method === 'get' ? undefined : '');
        expect([method, template, status !== 405]).toEqual([method, template, method in item]);
      }
  }); // prettier-ignore
});

describe('requests and answers are as described', () => {
  it('of tenants and settings', async () => {
    await send('POST', '/tenants', { name: 'acme', display: 'Acme', settings: { 'time-zone': 'UTC' } });
    expect((await send('POST', '/tenants', { name: 'acme' })).status).toBe(409);
    const first = await send('GET', '/tenants?after=a');
    expect(first.json.tenants.map(({ name }: { name: string }) => name)).toEqual(['acme', 'system']);
    expect((await send('GET', '/tenants?after=acme')).json.tenants).toHaveLength(1);
    expect((await send('GET', '/tenants?before=acme')).status).toBe(400);
    const namesOf = async (query: string): Promise<readonly string[]> =>
      (await send('GET', `/tenants?${query}`)).json.tenants.map(({ name }: { name: string }) => name);
    expect(await namesOf('contains=CM')).toEqual(['acme']);
    expect(await namesOf('contains=s&after=acme')).toEqual(['system']);
    expect(await namesOf('status=disabled')).toEqual([]);
    expect(await namesOf('status=active&contains=%25')).toEqual([]);
    expect((await send('GET', '/tenants?status=gone')).status).toBe(400);
    await send('GET', '/tenants/acme');
    await send('PATCH', '/tenants/acme', { settings: { validation: null }, display: null, status: 'active' });
    const { json } = await send('GET', '/settings');
    const { settings } = (await send('GET', '/tenants/acme')).json;
    expect(json.settings.map(({ name }: { name: string }) => name).sort()).toEqual(
      Object.keys(settings).sort(),
    );
    for (const each of json.settings) expect([each.name, each.default]).toEqual([each.name, settings[each.name]]);
    await send('GET', '/openapi.json');
  }); // prettier-ignore

  it('of clients, secrets, users, issuers, keys and policies', async () => {
    const { json: client } = await send('POST', '/tenants/acme/clients', { name: 'Lab', scopes: [] });
    await send('GET', '/tenants/acme/clients');
    const one = `/tenants/acme/clients/${client.id}`;
    await send('GET', one);
    await send('PATCH', one, { auditor: true }, 'application/merge-patch+json');
    const { json: secret } = await send('POST', `${one}/secrets`, { expires: '2035-01-01T00:00:00Z' });
    await send('DELETE', `${one}/secrets/${secret.id}`);
    const asked = { name: 'doc', display: 'Doc', password: 'a long password', patient: null };
    const { json: user } = await send('POST', '/tenants/acme/users', { ...asked, administrator: true });
    expect(user).toMatchObject({ administrator: true, auditor: false });
    await send('GET', '/tenants/acme/users');
    await send('GET', `/tenants/acme/users/${user.id}`);
    await send('POST', `/tenants/acme/users/${user.id}/invitations`);
    await addSecondFactor(user.id);
    await send('DELETE', `/tenants/acme/users/${user.id}/second-factor`);
    await send('PATCH', `/tenants/acme/users/${user.id}`, { disabled: true });
    await send('DELETE', `/tenants/acme/users/${user.id}`);
    const issuer = { issuer: 'https://login.example', client: client.id, audience: 'andiron' };
    await send('PUT', '/tenants/acme/issuers', { ...issuer, jwksUrl: 'https://login.example/jwks' });
    await send('GET', '/tenants/acme/issuers');
    await send('DELETE', `/tenants/acme/issuers?issuer=${encodeURIComponent(issuer.issuer)}`);
    await send('POST', '/tenants/acme/keys', { revoke: false });
    const policy = { rules: [{ types: ['Observation'], interactions: 'rs', criteria: ['status=final'] }] };
    await send('PUT', '/tenants/acme/policies/lab', policy);
    await send('GET', '/tenants/acme/policies');
    await send('GET', '/tenants/acme/policies/lab');
    await send('POST', '/tenants/acme/access', {
      policy: { name: 'lab', definition: policy },
      type: 'Observation',
    });
    await send('DELETE', '/tenants/acme/policies/lab');
    await send('GET', '/tenants/acme/audit');
    await send('GET', '/tenants/acme/audit.csv');
  });

  it('of packages, reindexes and their jobs', async () => {
    const { folder, remove } = await makeFolder();
    const manifest = { name: 'clinic.example', version: '1.0.0', fhirVersions: ['4.0.1'] };
    const needs = { dependencies: { 'other.example': '1.0.0' } };
    const file = await packResources(folder, { ...manifest, ...needs }, {
      'Patient-ana.json': { resourceType: 'Patient', id: 'ana' },
      'notes.json': { note: 'x' },
    });
    const bytes = readFileSync(file);
    await remove();
    const { json: sent } = await send('POST', '/tenants/acme/packages?examples=true', bytes, 'application/gzip');
    expect(await ended(`/tenants/acme/jobs/${sent.id}`)).toMatchObject({ state: 'done' });
    await send('GET', '/tenants/acme/packages');
    const { json: begun } = await send('POST', '/tenants/acme/reindex', { release: 'r4' });
    expect(await ended(`/tenants/acme/jobs/${begun.id}`)).toMatchObject({ state: 'done' });
    await send('GET', '/tenants/acme/jobs');
    await send('DELETE', `/tenants/acme/jobs/${begun.id}`);
    expect((await send('GET', `/tenants/acme/jobs/${begun.id}`)).status).toBe(404);
    expect((await send('POST', '/tenants/acme/packages', { package: '?' })).status).toBe(400);
  }); // prettier-ignore

  it('of exports and imports of bulk data', async () => {
    const root = server.path('acme', 'r4');
    const asked = [`_type=Patient&_since=2026-01-01T00:00:00Z`, '_typeFilter=Patient%3Factive=true'];
    const begun = [];
    for (const query of asked) begun.push((await exportData(server, `${root}/$export?${query}`)).path);
    const lines = '{"resourceType":"Patient","id":"ben"}';
    const headers = { ...ASYNC, 'content-type': 'application/fhir+ndjson' };
    begun.push(pathOf(await server.request('POST', `${root}/$import`, lines, headers)));
    for (const path of begun) {
      const place = `/tenants/acme/jobs/${path.split('/').at(-1) ?? ''}`;
      await send('GET', '/tenants/acme/jobs');
      expect(await ended(place)).toMatchObject({ state: 'done', request: { release: 'r4' } });
      await send('DELETE', place);
      expect((await send('GET', place)).status).toBe(404);
    }
  });

  it('of Subscriptions, and of the server with its settings and jobs', async () => {
    const subscription = {
      ...{ resourceType: 'Subscription', id: 'ward', status: 'requested', reason: 'to know' },
      criteria: 'Patient?name=ana',
      channel: { type: 'rest-hook', endpoint: 'https://ward.example/hook' },
    };
    const place = '/tenants/acme/subscriptions/r4/ward';
    await server.request('PUT', `${server.path('acme', 'r4')}/Subscription/ward`, subscription);
    await send('GET', '/tenants/acme/subscriptions?status=requested');
    await send('PATCH', place, { status: 'off' });
    expect((await send('GET', place)).json).toMatchObject({ status: 'off' });
    await send('GET', '/server/subscriptions');
    await send('GET', '/server');
    await send('GET', '/server/settings');
    await whileNothingIsWritten(server.database.settings, async () => {
      const { json: begun } = await send('POST', '/tenants/acme/reindex', { release: 'r4' });
      await server.request('POST', server.path('acme', 'r4'), ASYNCHRONOUS, { prefer: 'respond-async' });
      const { json } = await send('GET', '/server/jobs');
      const [job] = json.jobs.filter(({ id }: { id: string }) => id !== begun.id);
      await send('DELETE', `/server/jobs/${job.id}`);
    });
  });

  it('of an export, an import and a removal', async () => {
    const { text } = await send('GET', '/tenants/acme/export');
    await send('POST', '/tenants/acme-2/import', text, 'application/x-ndjson');
    for (const name of ['acme', 'acme-2']) await send('DELETE', `/tenants/${name}?confirm=${name}`);
    expect((await send('DELETE', '/tenants/acme?confirm=acme')).status).toBe(404);
  });

  it('of every operation', () => {
    const all = Object.values(document.paths).flatMap((item) =>
      METHODS.flatMap((method) => item[method]?.operationId ?? []),
    );
    expect([...answered].sort()).toEqual(all.sort());
  });
});

it('members, options and types that a request does not have are refused', async () => {
  const statusOf = async (address: string, body: object): Promise<unknown> => {
    const { status, json } = await server.request('POST', `${ROOT}/tenants/system${address}`, body, {
      'content-type': 'application/json',
    });
    return [status, json.issue[0].diagnostics];
  };
  expect(await statusOf('/keys', { revoke: 'yes' })).toEqual([
    400,
    expect.stringContaining('"revoke" must be'),
  ]);
  expect(await statusOf('/keys', { revok: true })).toEqual([
    400,
    "'revok' is not allowed; did you mean revoke? Allowed are revoke",
  ]);
  expect(await statusOf('/packages?example=true', { name: 'a', version: '1' })).toEqual([
    400,
    expect.stringContaining("'example' is not allowed"),
  ]);
});

it.each([
  ['/clients', { name: 'a', scopes: ['openid', 1] }, '"scopes[1]" must be a text'],
  ['/clients', { name: 'a', jwks: { keys: 'x' } }, '"jwks.keys" must be a list of objects'],
  ['/clients', { name: 'a', jwks: { kyes: [] } }, '"jwks.keys" must be a list of objects, but it is missing'],
  ['/clients', { nam: 'a' }, "'nam' is not allowed; did you mean name? Allowed are name, "],
])('a fault of POST %s %j is told with its place', async (address, body, words) => {
  const { status, json } = await server.request('POST', `${ROOT}/tenants/system${address}`, body, {
    'content-type': 'application/json',
  });
  expect([status, json.issue[0].diagnostics]).toEqual([400, expect.stringContaining(words)]);
});

it('a list of more than 1,000 tenants has parts, each with the place of the next', async () => {
  const owner = new Client(server.database.settings);
  await owner.connect();
  await owner.query(
    `insert into andiron.tenant (number, name, status) select 100 + n, 'n' || to_char(n, 'FM0000'), 'active' from generate_series(1, 1100) n`,
  );
  await owner.end();
  const first = await server.request('GET', `${ROOT}/tenants`);
  expect([first.json.tenants.length, first.json.next]).toEqual([1000, 'n1000']);
  const second = await server.request('GET', `${ROOT}/tenants?after=${first.json.next}`);
  expect([second.json.tenants.length, second.json.next]).toEqual([101, undefined]);
});
