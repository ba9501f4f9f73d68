/** Long content has the rights of its Binary, above all when it is streamed. */
import { randomBytes } from 'node:crypto';
import { administerWell, createClient, type MadeClient } from '../support/access';
import { gatewayPath } from '../graphql/gateway-client';
import { eventually } from '../support/eventually';
import { openSharedServer, type Answer, type SharedServer } from '../support/shared-server';

const CONTENT = randomBytes(13 * 1024 * 1024);

let server: SharedServer;
let root: string;
let writer: MadeClient;
beforeAll(async () => {
  server = await openSharedServer('enforced');
  for (const tenant of ['acme', 'other']) await server.createTenant(tenant, { validation: 'structure' });
  root = server.path('acme', 'r4');
  writer = await createClient(server, 'acme', { scopes: ['system/*.cruds'] });
  expect((await put(writer)).status).toBe(201);
});
afterAll(() => server.close());

const put = ({ basic }: MadeClient, path = root): Promise<Answer> =>
  server.request('PUT', `${path}/Binary/scan`, CONTENT, {
    authorization: basic,
    'content-type': 'image/tiff',
  });
const get = ({ basic }: MadeClient, path = `${root}/Binary/scan`): Promise<Answer> =>
  server.request('GET', path, undefined, { authorization: basic, range: 'bytes=0-9' });

it('is read and written with the scopes of Binary alone', async () => {
  expect((await get(writer)).bytes.equals(CONTENT.subarray(0, 10))).toBe(true);
  const elsewhere = await createClient(server, 'acme', { scopes: ['system/Patient.cruds'] });
  expect([(await get(elsewhere)).status, (await put(elsewhere)).status]).toEqual([403, 403]);
  const reader = await createClient(server, 'acme', { scopes: ['system/Binary.rs'] });
  expect([(await get(reader)).status, (await put(reader)).status]).toEqual([206, 403]);
  expect((await server.request('GET', `${root}/Binary/scan`)).status).toBe(401);
  const { bytes } = await get(writer);
  expect(bytes.equals(CONTENT.subarray(0, 10))).toBe(true);
});

it('is not there for another tenant', async () => {
  const other = await createClient(server, 'other', { scopes: ['system/*.cruds'] });
  const theirs = server.path('other', 'r4');
  expect((await get(other, `${theirs}/Binary/scan`)).status).toBe(404);
  expect((await get(other)).status).toBe(401);
});

it('is hidden with the element that has it', async () => {
  await administerWell(server, 'PUT', `/tenants/${server.tenant('acme')}/policies/no-data`, {
    rules: [{ types: ['Binary'], interactions: 'rs' }],
    hidden: ['Binary.data'],
  });
  const client = await createClient(server, 'acme', { scopes: ['system/Binary.rs'], policies: ['no-data'] });
  const { bytes } = await server.request('GET', `${root}/Binary/scan`, undefined, {
    authorization: client.basic,
  });
  expect(bytes).toHaveLength(0);
});

interface SignedContent {
  readonly size: number;
  readonly address: string;
}

/** The content of the attachment that names the Binary, as GraphQL answers a client. */
async function signedFor(client: MadeClient): Promise<SignedContent | null> {
  const attachment = { contentType: 'image/tiff', url: 'Binary/scan' };
  const document = {
    resourceType: 'DocumentReference',
    id: 'd',
    status: 'current',
    content: [{ attachment }],
  };
  await server.request('PUT', `${root}/DocumentReference/d`, document, { authorization: writer.basic });
  const { json } = await server.request(
    'POST',
    gatewayPath(server.tenant('acme'), 'r4'),
    { query: '{ DocumentReference(id: "d") { content { attachment { content { size data address } } } } }' },
    { authorization: client.basic, 'content-type': 'application/json' },
  );
  return json.data.DocumentReference.content[0].attachment.content;
}

/** Loads a range without credentials. */
const loadSigned = (address: string): Promise<Answer> =>
  server.request('GET', address, undefined, { range: 'bytes=5-9' });

it('has no signed address for a client that may not read it', async () => {
  expect(await signedFor(writer)).not.toBeNull();
  for (const scopes of [['system/DocumentReference.rs'], ['system/DocumentReference.rs', 'system/Binary.s']])
    expect(await signedFor(await createClient(server, 'acme', { scopes }))).toBeNull();
});

it('is not loaded by its signed address from another tenant, version or resource', async () => {
  const theirs = server.path('other', 'r4');
  const other = await createClient(server, 'other', { scopes: ['system/*.cruds'] });
  expect((await put(other, theirs)).status).toBe(201);
  const { address = '' } = (await signedFor(writer)) ?? {};
  expect((await loadSigned(`${root}/${address}`)).status).toBe(206);
  await server.request('PUT', `${root}/Binary/next`, CONTENT, {
    ...{ authorization: writer.basic, 'content-type': 'image/tiff' },
  });
  for (const wrong of [
    `${theirs}/${address}`,
    `${root}/${address.replace('/scan/', '/next/')}`,
    `${root}/${address.replace(/_history\/\d+/, '_history/9')}`,
    `${server.path('acme', 'r4b')}/${address}`,
  ]) {
    const { status, bytes } = await loadSigned(wrong);
    expect([wrong, status]).toEqual([wrong, 403]);
    expect(bytes.length).toBeLessThan(1000);
  }
});

it('is loaded by its signed address, by ranges, and only as long as its client may', async () => {
  const client = await createClient(server, 'acme', { scopes: ['system/*.rs'] });
  const content = await signedFor(client);
  expect(content).toMatchObject({ size: CONTENT.length, data: null });
  const load = (): Promise<Answer> => loadSigned(`${root}/${content?.address ?? ''}`);
  const { status, bytes } = await load();
  expect([status, bytes.equals(CONTENT.subarray(5, 10))]).toEqual([206, true]);
  await administerWell(server, 'PATCH', `/tenants/${server.tenant('acme')}/clients/${client.id}`, {
    disabled: true,
  });
  await eventually(async () => (await load()).status === 401);
});
