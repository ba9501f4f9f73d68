/** Credentials of a tenant that are all but right, each in one way. */
import { createPrivateKey, type JsonWebKey } from 'node:crypto';
import { Client } from 'pg';
import { FORM, makeClient, makeKey, toBasic, toJwt, type MadeClient } from './access';
import type { TestServer } from './server';

/** The answer of an address with enforced access to them. */
export const STATUSES = {
  none: 401,
  expired: 401,
  forged: 401,
  'alg none': 401,
  'wrong audience': 401,
  'token of another kind': 401,
  'issuer that nobody knows': 401,
  'no token': 401,
  'wrong secret': 401,
  'secret of another tenant': 401,
  'scheme that nobody knows': 401,
  'token of another tenant': 403,
} as const;
export type Kind = keyof typeof STATUSES;
export const KINDS = Object.keys(STATUSES) as readonly Kind[];
/** Those that are counted: after five of them a pause begins (docs/run/access.md, Failed attempts). */
export const GUESSES: readonly Kind[] = ['wrong secret', 'secret of another tenant'];
/** Values of the header Authorization. */
export type Credentials = Readonly<Record<Kind, string | undefined>>;

/** Good ones are `Bearer` too. */
export async function getToken(
  server: Pick<TestServer, 'request'>,
  tenant: string,
  client: MadeClient,
): Promise<string> {
  const { status, json } = await server.request(
    'POST',
    `/w/${tenant}/oidc/token`,
    'grant_type=client_credentials',
    { ...FORM, authorization: client.basic },
  );
  if (status !== 200) throw new Error(`${tenant} gives no token: ${status}`);
  return String(json.access_token);
}

/** `client`: one of `tenant`; `other`: another tenant of the server. */
export async function makeCredentials(
  server: TestServer,
  tenant: string,
  client: MadeClient,
  other: string,
): Promise<Credentials> {
  const right = await getToken(server, tenant, client);
  const [head = '', payload = ''] = right.split('.');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
  const [header, claims] = [read(head), read(payload)];
  const database = new Client(server.database.settings);
  await database.connect();
  const { rows } = await database.query<{ private_key: JsonWebKey }>(
    'select private_key from andiron.signing_key where id = $1',
    [header.kid],
  );
  await database.end();
  const [stored] = rows;
  if (stored === undefined) throw new Error(`${tenant} has no key`);
  const key = createPrivateKey({ key: stored.private_key, format: 'jwk' });
  const bearer = (token: string): string => `Bearer ${token}`;
  const foreign = await makeClient(server.app.core, other);
  const elsewhere = await getToken(server, other, foreign);
  const now = Math.floor(Date.now() / 1000);
  return {
    none: undefined,
    expired: bearer(toJwt(header, { ...claims, exp: now - 1 }, key)),
    forged: bearer(toJwt(header, claims, makeKey(header.kid, 'P-256').privateKey)),
    'alg none': bearer(toJwt({ ...header, alg: 'none' }, claims)),
    'wrong audience': bearer(toJwt(header, { ...claims, aud: 'https://elsewhere.example' }, key)),
    'token of another kind': bearer(toJwt({ ...header, typ: 'JWT' }, claims, key)),
    'issuer that nobody knows': bearer(toJwt(header, { ...claims, iss: 'https://elsewhere.example' }, key)),
    'no token': 'Bearer x.y.z',
    'wrong secret': toBasic(client.id, 'guess'),
    'secret of another tenant': foreign.basic,
    'scheme that nobody knows': 'Negotiate abc',
    'token of another tenant': bearer(elsewhere),
  };
}
