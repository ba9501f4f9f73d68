/**
 * Sign-in by SMART App Launch (https://hl7.org/fhir/smart-app-launch): the code flow with PKCE, by oauth4webapi. A server in open
 * mode needs none.
 */
import * as oauth from 'oauth4webapi';
import { useState } from 'react';

const parameters = new URLSearchParams(location.search);
/** The server comes back to the page without its query, so that the tenant is remembered. */
export const tenant = parameters.get('tenant') ?? sessionStorage.getItem('tenant') ?? 'system';
sessionStorage.setItem('tenant', tenant);

const root = `/w/${encodeURIComponent(tenant)}`;
export const address = `${root}/api/v1/graphql/r4`;

/** Of `andiron client create`; its redirect address is that of this page. */
const clientId = import.meta.env.VITE_CLIENT_ID as string | undefined;
const SCOPE = 'openid fhirUser offline_access user/*.cruds';
const page = location.origin + location.pathname;
const issuer = new URL(`${location.origin}${root}/oidc`);
const app = { client_id: clientId ?? '' };
/** On this machine there is no TLS. */
const options = { [oauth.allowInsecureRequests]: location.protocol === 'http:' };

interface Session {
  readonly token: string;
  readonly refreshToken: string | undefined;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** `…/Practitioner/1` */
  readonly user: string | undefined;
}

/** Kept for this tab: a reload needs no second sign-in. */
let session = read<Session>('session');
let refreshing: Promise<void> | undefined;

function read<Value>(name: string): Value | undefined {
  const text = sessionStorage.getItem(name);
  return text === null ? undefined : (JSON.parse(text) as Value);
}

function keep(answer: oauth.TokenEndpointResponse): void {
  const claims = oauth.getValidatedIdTokenClaims(answer);
  const user = claims?.fhirUser;
  session = {
    token: answer.access_token,
    refreshToken: answer.refresh_token ?? session?.refreshToken,
    expires: Date.now() + (answer.expires_in ?? 300) * 1000,
    user: typeof user === 'string' ? user : session?.user,
  };
  sessionStorage.setItem('session', JSON.stringify(session));
}

async function discover(): Promise<oauth.AuthorizationServer> {
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
}

async function begin(): Promise<void> {
  const { authorization_endpoint: endpoint } = await discover();
  if (endpoint === undefined) throw new Error('This server has no sign-in');
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  sessionStorage.setItem('begun', JSON.stringify({ verifier, state }));
  const query = {
    response_type: 'code',
    client_id: app.client_id,
    redirect_uri: page,
    scope: SCOPE,
    state,
    aud: `${location.origin}${root}/api/v1/fhir/r4`,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  location.assign(`${endpoint}?${new URLSearchParams(query).toString()}`);
}

/** Completes a sign-in that comes back from the server; else the session of this tab goes on. */
export async function openSession(): Promise<void> {
  const begun = read<{ verifier: string; state: string }>('begun');
  if (begun === undefined || !parameters.has('state')) return;
  sessionStorage.removeItem('begun');
  history.replaceState(undefined, '', page);
  const server = await discover();
  const found = oauth.validateAuthResponse(server, app, parameters, begun.state);
  const answer = await oauth.authorizationCodeGrantRequest(
    ...([server, app, oauth.None(), found, page, begun.verifier, options] as const),
  );
  keep(await oauth.processAuthorizationCodeResponse(server, app, answer));
}

async function refresh(token: string): Promise<void> {
  const server = await discover();
  const answer = await oauth.refreshTokenGrantRequest(server, app, oauth.None(), token, options);
  keep(await oauth.processRefreshTokenResponse(server, app, answer));
}

/** Returns the headers of the person who has signed in, with a new token shortly before the old one expires. */
export async function credentials(): Promise<Record<string, string>> {
  const { refreshToken, expires } = session ?? {};
  if (refreshToken !== undefined && expires !== undefined && expires < Date.now() + 30_000)
    await (refreshing ??= refresh(refreshToken).finally(() => (refreshing = undefined)));
  return session === undefined ? {} : { authorization: `Bearer ${session.token}` };
}

/** `Practitioner/1` */
export function signedInUser(): string | undefined {
  return session?.user?.split('/').slice(-2).join('/');
}

export function signOut(): void {
  sessionStorage.clear();
  location.assign(`${page}?tenant=${encodeURIComponent(tenant)}`);
}

export function SignIn({ reason }: { reason: string }) {
  const [fault, setFault] = useState<string>();
  return (
    <section className="sign-in">
      <h1>Patient charts</h1>
      <p className="quiet">{reason}</p>
      {clientId === undefined ? (
        <p role="alert">Set VITE_CLIENT_ID to the id of this app; its README shows how to register it.</p>
      ) : (
        <button type="submit" onClick={() => void begin().catch((error: unknown) => setFault(String(error)))}>
          Sign in
        </button>
      )}
      {fault !== undefined && <p role="alert">{fault}</p>}
    </section>
  );
}
