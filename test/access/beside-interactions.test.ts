/**
 * Requests that are refused before an interaction begins, and actions of administrators, leave AuditEvents too
 * (docs/run/audit.md).
 */
import type { Access, JsonObject } from '../../src/core';
import { makeClient, type MadeClient } from '../support/access';
import { silentLog } from '../support/log';
import { patientDeadline } from '../support/patience';
import { startServer, type TestServer } from '../support/server';

const AUDITOR: Access = {
  ...{ client: 'auditor', scopes: [], policies: [] },
  ...{ isAdministrator: false, isAuditor: true },
};
const JSON_TYPE = { 'content-type': 'application/fhir+json' };
const FHIR = '/w/system/api/v1/fhir/r4';
const GRAPHQL = '/w/system/api/v1/graphql/r4b';

let server: TestServer;
let client: MadeClient;
beforeAll(async () => {
  const environment = {
    AUTH_MODE: 'enforced',
    MAX_BODY_BYTES: '4096',
    MAX_BUNDLE_BYTES: '8192',
    MAX_URL_BYTES: '4096',
  };
  server = await startServer({ because: 'limits of bodies, and the audit', environment });
  client = await makeClient(server.app.core, 'system');
});
afterAll(() => server.close());

interface Recorded {
  readonly outcomeDesc: string;
  readonly agent: { altId: string; network?: { address: string } }[];
  readonly entity: { query?: string; name?: string }[];
}

/** The AuditEvents with a value of a search parameter, of both releases. */
async function eventsBy(name: string, value: string): Promise<readonly Recorded[]> {
  const { core } = server.app;
  const found: Recorded[] = [];
  for (const release of ['r4', 'r4b'] as const) {
    const space = await core.access.findSpace('system', release);
    if (space === undefined) throw new Error('there is no tenant system');
    const context = { space, actor: 'auditor', access: AUDITOR, requestId: 'x', log: silentLog };
    const parameters = [
      [name, value],
      ['_count', '100'],
    ] as const;
    const page = await core.interactions.search(
      { ...context, deadline: patientDeadline() },
      { type: 'AuditEvent', parameters },
    );
    expect(page.issues).toEqual([]);
    found.push(...page.matches.map(({ text }) => JSON.parse(text) as Recorded & JsonObject));
  }
  return found;
}

const queryOf = ({ entity }: Recorded): string =>
  entity.flatMap(({ query }) => (query === undefined ? [] : Buffer.from(query, 'base64').toString())).join();

// prettier-ignore
const ROWS: [told: string, method: string, path: string, body: string | undefined, headers: Record<string, string>, query: string][] = [
  ['413: bodyTooLarge', 'POST', `${FHIR}/Patient`, `{"x":"${'x'.repeat(5_000)}"}`, JSON_TYPE, 'Patient'],
  ['413: bodyTooLarge', 'POST', GRAPHQL, `{"query":"${'x'.repeat(9_000)}"}`, { 'content-type': 'application/json' }, ''],
  ['414: urlTooLong', 'GET', `${FHIR}/Patient?name=${'x'.repeat(4_500)}`, undefined, {}, `Patient?name=${'x'.repeat(4_000 - 13)}`],
  ['400: invalidJson', 'POST', `${FHIR}/Patient`, '{"resourceType"', JSON_TYPE, 'Patient'],
  ['400: invalidJson', 'POST', GRAPHQL, '{"query"', { 'content-type': 'application/json' }, ''],
  ['406: notAcceptable', 'GET', `${FHIR}/Patient/a`, undefined, { accept: 'text/plain' }, 'Patient/a'],
  ['415: unsupportedMediaType', 'POST', `${FHIR}/Patient`, '<x/>', { 'content-type': 'text/xml' }, 'Patient'],
  ['415: unsupportedMediaType', 'POST', GRAPHQL, '<x/>', { 'content-type': 'text/xml' }, ''],
  ['415: unsupportedCoding', 'POST', `${FHIR}/Patient`, '{}', { ...JSON_TYPE, 'content-encoding': 'zstd' }, 'Patient'],
  ['404: unknownType', 'GET', `${FHIR}/Unicorn/1`, undefined, {}, 'Unicorn/1'],
  ['400: invalidId', 'GET', `${FHIR}/Patient/a_b`, undefined, {}, 'Patient/a_b'],
  ['400: invalidValue', 'GET', `${FHIR}/Patient/%E0%A4`, undefined, {}, 'Patient/%E0%A4'],
  ['404: noSuchAddress', 'GET', `${FHIR}/Patient/a/b/c/d`, undefined, {}, 'Patient/a/b/c/d'],
  ['405: methodNotAllowed', 'DELETE', `${FHIR}/metadata`, undefined, {}, 'metadata'],
];

it('each leaves one event, with the client and the request', async () => {
  for (const [place, [expected, method, path, body, headers]] of ROWS.entries()) {
    const headersOfRow = { ...headers, authorization: client.basic, 'x-request-id': `refused-${place}` };
    const answer = await server.request(method, path, body, headersOfRow);
    expect([place, answer.status]).toEqual([place, Number(expected.slice(0, 3))]);
  }
  for (const [place, [expected, , , , , query]] of ROWS.entries()) {
    const events = await eventsBy('entity:identifier', `|refused-${place}`);
    const shown = events.map((event) => [event.outcomeDesc, event.agent[0]?.altId, queryOf(event)]);
    expect([place, shown]).toEqual([place, [[`HTTP ${expected}`, client.id, query]]]);
  }
});

it('an action of an administrator leaves one event, also when it is refused, and so does an attempt without the right', async () => {
  const administrator = await makeClient(server.app.core, 'system', { isAdministrator: true });
  const path = '/w/system/api/v1/tenants';
  const send = (id: string, authorization: string, method: string, at: string, body?: object) =>
    server.request(method, path + at, body, {
      ...{ 'content-type': 'application/json', authorization, 'x-request-id': id },
    });
  const { basic, id } = administrator;
  expect((await send('made', basic, 'POST', '', { name: 'acme' })).status).toBe(201);
  expect((await send('list', basic, 'GET', '/acme/clients')).status).toBe(200);
  expect((await send('wrong', basic, 'POST', '/acme/clients', {})).status).toBe(400);
  expect((await send('other', client.basic, 'DELETE', '/acme')).status).toBe(403);
  expect((await send('nobody', 'Bearer a.b.c', 'DELETE', '/acme')).status).toBe(401);
  const expected: unknown[] = [];
  for (const each of ['made', 'list', 'wrong', 'other', 'nobody'])
    for (const event of await eventsBy('entity:identifier', `|${each}`))
      expected.push([event.outcomeDesc, event.agent[0]?.altId, queryOf(event)]);
  expect(expected).toEqual([
    [undefined, id, 'POST tenants'],
    [undefined, id, 'GET tenants/acme/clients'],
    ['HTTP 400', id, 'POST tenants/acme/clients'],
    ['HTTP 403', client.id, 'DELETE tenants/acme'],
    ['HTTP 401: unauthorized', 'anonymous', `${path}/acme`],
  ]);
});

it('for an unknown caller, the event has no agent', async () => {
  const forged = { ...JSON_TYPE, authorization: 'Bearer a.b.c', 'x-request-id': 'forged' };
  const large = `{"x":"${'x'.repeat(5_000)}"}`;
  expect((await server.request('POST', `${FHIR}/Patient`, large, forged)).status).toBe(413);
  const [event, ...others] = await eventsBy('entity:identifier', '|forged');
  expect([event?.outcomeDesc, event?.agent[0]?.altId, others]).toEqual([
    'HTTP 413: bodyTooLarge',
    'anonymous',
    [],
  ]);
});

it('a flood of requests without credentials does not fill the record', async () => {
  const flood = Array.from({ length: 200 }, () => server.request('GET', `${FHIR}/Patient/flood`));
  for (const { status } of await Promise.all(flood)) expect(status).toBe(401);
  const events = (await eventsBy('altid', 'anonymous')).filter((event) => queryOf(event) === 'Patient/flood');
  // Two windows at most.
  expect(events.length).toBeGreaterThan(0);
  expect(events.length).toBeLessThanOrEqual(40);
});
