/** Revocation reaches a token in constant use as fast as an idle one, within 2 s (docs/reference/behaviour.md, Access). */
import { setTimeout as delay } from 'node:timers/promises';
import { makeClient, type MadeClient } from '../support/access';
import { startServer, type TestServer } from '../support/server';

const LATEST_MS = 2_000;
const BEAT_MS = 20;

let server: TestServer;
let other: TestServer;

beforeAll(async () => {
  server = await startServer({
    because: 'a second process on its database',
    environment: { AUTH_MODE: 'enforced' },
  });
  other = await startServer({ database: server.database, environment: { AUTH_MODE: 'enforced' } });
  for (const tenant of ['acme', 'globex']) await server.app.core.tenants.create(tenant);
});
afterAll(async () => {
  await other.close();
  await server.close();
});

async function tokenOf(tenant: string, { basic }: MadeClient): Promise<string> {
  const { json } = await server.request('POST', `/w/${tenant}/oidc/token`, 'grant_type=client_credentials', {
    'content-type': 'application/x-www-form-urlencoded',
    authorization: basic,
  });
  return `Bearer ${json.access_token}`;
}

async function statusOf(at: TestServer, authorization: string, tenant = 'acme'): Promise<number> {
  const address = `/w/${tenant}/api/v1/fhir/r4/Patient?_count=0`;
  return (await at.request('GET', address, undefined, { authorization })).status;
}

/**
 * Asks in beats, each of which is a request and a pause, until the answer is another one. A slow machine makes fewer beats.
 * @returns the ms that the pauses took on an idle machine, and that answer
 */
async function sendUntilOther(at: TestServer, token: string): Promise<{ took: number; status: number }> {
  for (let took = 0; ; took += BEAT_MS) {
    const status = await statusOf(at, token);
    if (status !== 200 || took > 3 * LATEST_MS) return { took, status };
    await delay(BEAT_MS);
  }
}

it('is refused at once where its client is disabled, and within 2 s in another process', async () => {
  const client = await makeClient(server.app.core, 'acme');
  const token = await tokenOf('acme', client);
  for (const at of [server, other, server, other]) expect(await statusOf(at, token)).toBe(200);
  const sending = sendUntilOther(other, token);
  await server.app.core.tenants.clients.change('acme', client.id, { isDisabled: true });
  expect(await statusOf(server, token)).toBe(401);
  const { took, status } = await sending;
  expect(status).toBe(401);
  expect(took).toBeLessThan(LATEST_MS);
  for (const at of [server, other]) expect(await statusOf(at, token)).toBe(401);
});

it('is refused at once where its key is withdrawn, and within 2 s in another process', async () => {
  const token = await tokenOf('acme', await makeClient(server.app.core, 'acme'));
  for (const at of [server, other]) expect(await statusOf(at, token)).toBe(200);
  const sending = sendUntilOther(other, token);
  await server.app.core.access.tokens.rotateKeys('acme', true);
  expect(await statusOf(server, token)).toBe(401);
  const { took, status } = await sending;
  expect([status, took < LATEST_MS]).toEqual([401, true]);
});

it('of one of two clients in turn belongs to that client, and is invalid in another tenant', async () => {
  const readers = await makeClient(server.app.core, 'acme', { scopes: ['system/Patient.rs'] });
  const others = await makeClient(server.app.core, 'acme', { scopes: ['system/Observation.rs'] });
  const [allowed, refused] = [await tokenOf('acme', readers), await tokenOf('acme', others)];
  for (let turn = 0; turn < 20; turn++) {
    expect(await statusOf(server, allowed)).toBe(200);
    expect(await statusOf(server, refused)).toBe(403);
    expect(await statusOf(server, allowed, 'globex')).toBe(403);
  }
});
