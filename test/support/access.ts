/** Clients, tokens and keys for tests of access. */
import { createServer, type Server } from 'node:http';
import { createSign, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { ClientChanges, Core } from '../../src/core';
import type { TestServer } from './server';
import type { Answer, SharedServer } from './shared-server';

export interface MadeClient {
  readonly id: string;
  readonly secret: string;
  /** Value of the header Authorization. */
  readonly basic: string;
}

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

export function toBasic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** A client with a secret. */
export async function makeClient(
  core: Core,
  tenant: string,
  details: ClientChanges = {},
): Promise<MadeClient> {
  const { id } = await core.tenants.clients.create(tenant, {
    name: 'Ward round',
    scopes: ['system/*.cruds'],
    ...details,
  });
  const added = await core.tenants.clients.addSecret(tenant, id);
  if (added === undefined) throw new Error('the client was not made');
  return { id, secret: added.secret, basic: toBasic(id, added.secret) };
}

/** A server whose administrator sends requests over HTTP; a shared one has names of its own for the tenants of a file. */
export type Administered = Pick<SharedServer, 'request' | 'base' | 'tenant' | 'administer'>;

/** A server of a test's own with requests of an administrator, who is a new client of the tenant system. */
export async function withAdministrator(server: TestServer): Promise<TestServer & Administered> {
  const { basic } = await makeClient(server.app.core, 'system', { name: 'Tests', isAdministrator: true });
  const headers = { 'content-type': 'application/json', authorization: basic };
  return {
    ...server,
    administer: (method, address, body) =>
      server.request(method, `/w/system/api/v1${address}`, body, headers),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** Sends something new to an address of administration, such as `/tenants/acme-1234/users`. Throws unless it is made. */
export async function create(
  server: Pick<Administered, 'administer'>,
  address: string,
  body: Members,
): Promise<{ readonly id: string; readonly [member: string]: unknown }> {
  const { status, json, text } = await server.administer('POST', address, body);
  if (status !== 201) throw new Error(`POST ${address} is answered ${status}: ${text}`);
  return json;
}

/** Changes or replaces something at an address of administration. Throws unless it is done. */
export async function administerWell(
  server: Pick<Administered, 'administer'>,
  method: 'PATCH' | 'PUT' | 'POST' | 'DELETE',
  address: string,
  body?: Members,
): Promise<Answer['json']> {
  const { status, json, text } = await server.administer(method, address, body);
  if (status >= 300) throw new Error(`${method} ${address} is answered ${status}: ${text}`);
  return json;
}

/** Makes the same by HTTP, in a tenant of a shared server (its name there is that of the file: `system`). */
export async function createClient(
  server: Pick<SharedServer, 'administer' | 'tenant'>,
  tenant: string,
  details: Members = {},
): Promise<MadeClient> {
  const body = { name: 'Ward round', scopes: ['system/*.cruds'], withSecret: true, ...details };
  const made = await create(server, `/tenants/${server.tenant(tenant)}/clients`, body);
  const { secret } = made['secret'] as { secret: string };
  return { id: made.id, secret, basic: toBasic(made.id, secret) };
}

const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A JWT of any kind, signed by us and not by the library that the server verifies it with. */
export function toJwt(
  header: { alg: string } & Record<string, unknown>,
  payload: object,
  key?: KeyObject,
): string {
  const text = `${encode(header)}.${encode(payload)}`;
  if (key === undefined) return `${text}.`;
  const hash = `sha${header.alg.slice(2)}`;
  const bytes = header.alg.startsWith('ES')
    ? sign(hash, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
    : createSign(hash).update(text).sign(key);
  return `${text}.${bytes.toString('base64url')}`;
}

export interface TestKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly jwk: Record<string, unknown>;
}

/** ES384 with the curve P-384, or ES256 with P-256. */
export function makeKey(kid: string, namedCurve = 'P-384'): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve });
  const alg = namedCurve === 'P-384' ? 'ES384' : 'ES256';
  return { kid, privateKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
}

/** A key for RS384. */
export function makeRsaKey(kid: string): TestKey {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return {
    kid,
    privateKey,
    jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg: 'RS384', use: 'sig' },
  };
}

export interface KeyServer {
  readonly url: string;
  /** Its answers from now on. */
  keys: readonly TestKey[];
  /** How often it was asked. */
  fetches: number;
  close(): Promise<void>;
}

/** Lets a server of the tests call this machine: for the keys that `serveKeys` answers, and as endpoints of Subscriptions. */
export const WITH_LOCAL_KEYS = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*' };

/** Somebody's key set on a port of its own. */
export async function serveKeys(keys: readonly TestKey[]): Promise<KeyServer> {
  const made = { keys, fetches: 0 };
  const server: Server = createServer((_request, response) => {
    made.fetches += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ keys: made.keys.map(({ jwk }) => jwk) }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return Object.assign(made, {
    url: `http://127.0.0.1:${port}/jwks`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}
