/** An identity provider whose tokens a tenant accepts. */
import type { Core, NewIssuer } from '../../src/core';
import {
  administerWell,
  create,
  makeKey,
  serveKeys,
  toJwt,
  type Administered,
  type KeyServer,
  type TestKey,
} from './access';

export interface TestIssuer {
  /** Id of the client that its tokens are of. */
  readonly client: string;
  /** Value of the header Authorization. `claims`: beside those that every token has, or in their place. */
  issueToken(claims: object): string;
  close(): Promise<void>;
}

/** `scopes`: of the client that its tokens are of. */
export async function makeIssuer(
  core: Core,
  tenant: string,
  scopes: readonly string[],
  more: Partial<NewIssuer> = {},
): Promise<TestIssuer> {
  const issuer = more.issuer ?? 'https://login.example';
  const key = makeKey('idp', 'P-256');
  const keys = await serveKeys([key]);
  const { id: client } = await core.tenants.clients.create(tenant, { name: 'Portal', scopes });
  await core.tenants.issuers.put(tenant, { client, audience: 'andiron', jwksUrl: keys.url, ...more, issuer });
  return toIssuer(issuer, client, key, keys);
}

/** Makes the same by HTTP; `tenant` is the name in the file. */
export async function createIssuer(
  server: Pick<Administered, 'administer' | 'tenant'>,
  tenant: string,
  scopes: readonly string[],
  more: Partial<NewIssuer> = {},
): Promise<TestIssuer> {
  const issuer = more.issuer ?? 'https://login.example';
  const key = makeKey('idp', 'P-256');
  const keys = await serveKeys([key]);
  const address = `/tenants/${server.tenant(tenant)}`;
  const details = { name: 'Portal', scopes, withSecret: false };
  const { id: client } = await create(server, `${address}/clients`, details);
  const body = { client, audience: 'andiron', jwksUrl: keys.url, ...more, issuer };
  await administerWell(server, 'PUT', `${address}/issuers`, body);
  return toIssuer(issuer, client, key, keys);
}

function toIssuer(issuer: string, client: string, key: TestKey, keys: KeyServer): TestIssuer {
  return {
    client,
    issueToken(claims) {
      const exp = Math.floor(Date.now() / 1000) + 3_600;
      const all = { iss: issuer, aud: 'andiron', sub: 'u', exp, ...claims };
      return `Bearer ${toJwt({ alg: 'ES256', kid: 'idp' }, all, key.privateKey)}`;
    },
    close: () => keys.close(),
  };
}
