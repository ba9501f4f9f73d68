/** No answer discloses to a caller without rights which clients and resources exist. */
import { create, createClient, FORM, makeKey, toBasic, toJwt, type MadeClient } from '../support/access';
import { createIssuer, type TestIssuer } from '../support/issuer';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';
import { APP, makeProof, toAuthorize } from '../support/sign-in';
import { TESTED_RELEASES } from '../support/releases';

let server: SharedServer;
/** The name of the tenant on the server. */
let acme: string;
let client: MadeClient;
let keyed: string;

beforeAll(async () => {
  server = await openSharedServer('enforced');
  await server.createTenant('acme');
  acme = server.tenant('acme');
  client = await createClient(server, 'acme', { redirectUris: [APP] });
  const jwks = { keys: [makeKey('one').jwk] };
  const backend = { name: 'Backend', scopes: ['system/*.rs'], jwks };
  ({ id: keyed } = await create(server, `/tenants/${acme}/clients`, backend));
});
afterAll(() => server.close());

/** Parts of an answer that always differ. */
const VARYING = ['date', 'x-request-id', 'keep-alive', 'connection', 'content-length'];

/** The content of an answer, without the id. */
function toComparable({ status, text, headers }: Answer, id: string) {
  const plain = (value: string): string => value.replaceAll(id, 'ID');
  const compared = Object.entries(headers).filter(([name]) => !VARYING.includes(name));
  return {
    status,
    headers: Object.fromEntries(compared.map(([name, value]) => [name, plain(String(value))])),
    text: plain(text),
  };
}

describe('a client that does not exist is answered as one that does', () => {
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...fields }).toString();
    return server.request('POST', `/w/${acme}/oidc/token`, body, { ...FORM, ...headers });
  };
  const assert = (id: string) =>
    post({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: toJwt({ alg: 'ES384' }, { iss: id, sub: id, jti: 'j' }, makeKey('two').privateKey),
    });

  it.each<[string, (id: string) => Promise<Answer>]>([
    ['with a secret', (id) => post({ client_id: id, client_secret: 'wrong' })],
    ['without one', (id) => post({ client_id: id })],
    ['by Basic', (id) => post({}, { authorization: toBasic(id, 'wrong') })],
    ['with an assertion', assert],
    [
      'at the data',
      (id) =>
        server.request('GET', `${server.path('acme', 'r4')}/Patient`, undefined, {
          authorization: toBasic(id, 'wrong'),
        }),
    ],
    [
      'at the sign-in',
      (id) => {
        const elsewhere = { redirect_uri: 'https://x.example/' };
        return server.request('GET', toAuthorize(server, acme, id, makeProof(), elsewhere));
      },
    ],
  ])('%s', async (_how, send) => {
    const [existing, withKeys, unknown] = await Promise.all(
      [client.id, keyed, 'unknown'].map(async (id) => toComparable(await send(id), id)),
    );
    expect(unknown).toEqual(existing);
    expect(unknown).toEqual(withKeys);
  });

  it('with guesses of its secret, which are throttled', async () => {
    const { id } = await createClient(server, 'acme');
    const statuses: (readonly number[])[] = [];
    for (let count = 0; count < 6; count++) {
      const requests = [id, 'guessed'].map((one) =>
        post({}, { authorization: toBasic(one, `guess ${count}`) }).then(({ status }) => status),
      );
      statuses.push(await Promise.all(requests));
    }
    expect(statuses).toEqual([...Array.from({ length: 5 }, () => [401, 401]), [429, 429]]);
  });
});

describe.each(TESTED_RELEASES)('in %s a PUT that is refused', (release) => {
  let issuer: TestIssuer;
  const root = (): string => server.path('acme', release);
  const toObservation = (id: string, patient: string): object => ({
    ...{ resourceType: 'Observation', id, status: 'final', code: { text: 'x' } },
    subject: { reference: `Patient/${patient}` },
  });

  beforeAll(async () => {
    const scopes = ['patient/*.cruds'];
    issuer = await createIssuer(server, 'acme', scopes, {
      issuer: `https://${release}.example`,
      release,
    });
    const headers = { authorization: client.basic };
    for (const [id, patient] of [
      ['theirs', 'b'],
      ['mine', 'a'],
    ] as const) {
      const { status } = await server.request(
        'PUT',
        `${root()}/Observation/${id}`,
        toObservation(id, patient),
        headers,
      );
      expect(status).toBe(201);
    }
  });
  afterAll(() => issuer.close());

  /** Alone, and in a transaction. */
  async function put(id: string, scope: string, patient: string, headers = {}) {
    const authorization = issuer.issueToken({ scope, patient: 'a' });
    const resource = toObservation(id, patient);
    const transaction = {
      ...{ resourceType: 'Bundle', type: 'transaction' },
      entry: [{ resource, request: { method: 'PUT', url: `Observation/${id}` } }],
    };
    const alone = await server.request('PUT', `${root()}/Observation/${id}`, resource, {
      authorization,
      ...headers,
    });
    const bundled = await server.request('POST', root(), transaction, { authorization });
    return [alone, bundled].map((answer) => toComparable(answer, id));
  }

  it.each(['patient/*.cruds', 'patient/*.u', 'patient/*.rus', 'patient/*.c', 'patient/*.cr'])(
    'is the same whether the id exists or not: %s',
    async (scope) => {
      const missing = await put('absent', scope, 'b');
      expect(missing).toMatchObject([{ status: 403 }, { status: 403 }]);
      expect(await put('theirs', scope, 'b')).toEqual(missing);
    },
  );

  it('with If-Match is 412 for both', async () => {
    const headers = { 'if-match': 'W/"1"' };
    const [missing] = await put('absent', 'patient/*.cruds', 'b', headers);
    const [theirs] = await put('theirs', 'patient/*.cruds', 'b', headers);
    expect(missing).toMatchObject({ status: 412 });
    expect(theirs).toEqual(missing);
  });

  it('names the missing scope where the client can read the resource', async () => {
    const [own] = await put('mine', 'patient/*.cr', 'a');
    expect(own).toMatchObject({ status: 403, text: expect.stringContaining('patient/Observation.u') });
  });
});
