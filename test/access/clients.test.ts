/** Who asks: clients, their secrets and tokens, over HTTP (docs/access.md). */
import { startServer, type TestServer } from '../support/server';

let server: TestServer;
let id: string;
let secret: string;

beforeAll(async () => {
  server = await startServer();
  await server.createTenant('acme');
  const made = await server.app.core.clients.create('acme', {
    name: 'Ward round',
    scopes: ['system/*.cruds'],
  });
  const added = await server.app.core.clients.addSecret('acme', made.id);
  if (added === undefined) throw new Error('the client was not made');
  ({ id } = made);
  ({ secret } = added);
});
afterAll(() => server.close());

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const basic = (name: string, word: string): string =>
  `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`;

async function getToken(): Promise<string> {
  const body = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  const { status, json } = await server.request('POST', '/w/acme/oidc/token', body, FORM);
  expect(status).toBe(200);
  return String(json.access_token);
}

function authorOf(resource: {
  meta: { extension: { url: string; valueReference?: { reference: string } }[] };
}) {
  return resource.meta.extension.find(({ url }) => url.endsWith('/author'))?.valueReference?.reference;
}

describe('a client', () => {
  it('gets a token for its secret, and what it writes bears its name', async () => {
    const headers = { authorization: `Bearer ${await getToken()}` };
    const path = `${server.path('acme', 'r4')}/Patient`;
    const { status, json } = await server.request('POST', path, { resourceType: 'Patient' }, headers);
    expect(status).toBe(201);
    expect(authorOf(json)).toBe(`ClientApplication/${id}`);
  });

  it('may send id and secret with each request instead', async () => {
    const path = `${server.path('acme', 'r4b')}/Patient`;
    const headers = { authorization: basic(id, secret) };
    const { status, json } = await server.request('POST', path, { resourceType: 'Patient' }, headers);
    expect([status, authorOf(json)]).toEqual([201, `ClientApplication/${id}`]);
    const wrong = await server.request('GET', path, undefined, { authorization: basic(id, `${secret}x`) });
    expect(wrong.status).toBe(401);
    expect(wrong.headers['www-authenticate']).toContain('error="invalid_token"');
  });
});
