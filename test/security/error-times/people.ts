/** Users who sign in at a tenant, and the credentials of their apps. */
import { APP, Browser, FORM, makeProof, toAuthorize, toReturned } from '../../support/sign-in';
import type { TestServer } from '../../support/server';

export interface StoredPerson {
  /** To sign in with; `person` is in each. */
  readonly names: readonly string[];
  readonly password: string;
  readonly redirectUri: string;
  /** The request of all codes. */
  readonly verifier: string;
  /** Not used yet. */
  readonly codes: readonly string[];
  readonly refreshTokens: readonly string[];
}

const PASSWORD = 'correct horse battery';
const PEOPLE = 4;
const GRANTS = 3;

/** Accounts of `tenant`; the first has signed in for an app several times. */
export async function signInElsewhere(
  server: TestServer,
  tenant: string,
  publicUrl: string,
): Promise<StoredPerson> {
  const { core } = server.app;
  const names = Array.from({ length: PEOPLE }, (_one, index) => `person${index}`);
  for (const [index, name] of names.entries())
    await core.tenants.users.create(tenant, {
      name,
      password: PASSWORD,
      fhirUser: `Patient/p000${2 * index}`,
    });
  const scopes = ['openid', 'launch/patient', 'patient/*.rs', 'offline_access'];
  const { id } = await core.tenants.clients.create(tenant, {
    ...{ name: 'App', scopes, redirectUris: [APP], isPublic: true },
  });
  const proof = makeProof();
  const path = toAuthorize(server, tenant, id, proof, {
    scope: scopes.join(' '),
    aud: `${publicUrl}${server.path(tenant, 'r4')}`,
  });
  const browser = new Browser(server);
  let page = await browser.signIn(path, names[0] ?? '', PASSWORD);
  const allow = async (): Promise<string> => {
    const { answer } = toReturned(await browser.send(page, { step: 'allow' }));
    const { code } = answer;
    if (code === undefined) throw new Error(`${tenant} gives no code: ${page.text}`);
    return code;
  };
  const codes: string[] = [];
  const refreshTokens: string[] = [];
  for (let grant = 0; grant < 2 * GRANTS; grant++) {
    if (grant > 0) page = await browser.signIn(path, names[0] ?? '', PASSWORD);
    const code = await allow();
    if (grant < GRANTS) {
      codes.push(code);
      continue;
    }
    const form = { grant_type: 'authorization_code', client_id: id, redirect_uri: APP, code };
    const body = new URLSearchParams({ ...form, code_verifier: proof.verifier }).toString();
    const { status, json } = await server.request('POST', `/w/${tenant}/oidc/token`, body, FORM);
    if (status !== 200) throw new Error(`${tenant} gives no token: ${status}`);
    refreshTokens.push(String(json.refresh_token));
  }
  return { names, password: PASSWORD, redirectUri: APP, verifier: proof.verifier, codes, refreshTokens };
}
