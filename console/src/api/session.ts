/**
 * The session of a person in a tenant and release: OpenID Connect with PKCE at this server. Tokens stay in the storage of
 * the browser's tab, so that they end with it.
 */
import * as oauth from 'oauth4webapi';
import {
  absolute,
  consolePath,
  fhirPath,
  PREFIX,
  RELEASES,
  tenantPath,
  type Release,
  type Space,
} from '../place';
import { lockForPage } from './page-lock';

const CLIENT_ID = 'andiron-console';
const SCOPES = 'openid profile fhirUser online_access user/*.cruds administration';
/** A token is renewed this long before it ends, so that no request is sent with one that ends on the way. */
const EARLY_MS = 20_000;

interface StoredSession {
  /** Of this sign-in. */
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken?: string;
  readonly idToken?: string;
  /** Milliseconds since 1970. */
  readonly expires: number;
  readonly person: Person;
}

/** A sign-in that has begun in this tab. */
interface Begun {
  readonly space: Space;
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
  /** Path to return to. */
  readonly back: string;
}

/** What the screens show of a session: what the ID token says of the person. */
export interface Person {
  /** That of the account. A session that an older console has begun does not have it. */
  readonly id?: string;
  readonly name: string;
  /** The tenant's name for people. */
  readonly tenant: string;
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
  /** The person's record: `Practitioner/doc`. */
  readonly record?: string;
}

const BEGUN = 'andiron/sign-in';
/** The names of tenants to which somebody has signed in with this browser, the last one first. */
const KNOWN = 'andiron/tenants';
const MOST_KNOWN = 20;
const keyOf = ({ tenant, release }: Space): string => `andiron/session/${tenant}/${release}`;
const listeners = new Set<() => void>();
const renewals = new Map<string, Promise<StoredSession | undefined>>();

function read<Value>(key: string): Value | undefined {
  const text = sessionStorage.getItem(key);
  // Only this module writes these keys.
  return text === null ? undefined : (JSON.parse(text) as Value);
}

function store(space: Space, session: StoredSession | undefined): void {
  if (session === undefined) sessionStorage.removeItem(keyOf(space));
  else sessionStorage.setItem(keyOf(space), JSON.stringify(session));
  for (const notify of listeners) notify();
}

/** Calls `notify` when somebody has signed in or out; returns the function that ends this. */
export function onSessionChange(notify: () => void): () => void {
  listeners.add(notify);
  return () => listeners.delete(notify);
}

/** The person who has signed in; undefined: nobody. */
export function personOf(space: Space): Person | undefined {
  return read<StoredSession>(keyOf(space))?.person;
}

/** The account for which this browser keeps something: two people of a tenant may have one name. '': nobody has signed in. */
export function accountIn(space: Space): string {
  const person = personOf(space);
  return person?.id ?? person?.name ?? '';
}

/** The wanted release; another one where somebody has signed in to that one alone. */
export function signedInRelease(tenant: string, wanted: Release): Release {
  const isSignedIn = (release: Release): boolean => personOf({ tenant, release }) !== undefined;
  return [wanted, ...RELEASES].find(isSignedIn) ?? wanted;
}

/** The names of tenants to which somebody has signed in with this browser. */
export function knownTenants(): readonly string[] {
  // Only this module writes it.
  return JSON.parse(localStorage.getItem(KNOWN) ?? '[]') as readonly string[];
}

function remember(tenant: string): void {
  const names = [tenant, ...knownTenants().filter((name) => name !== tenant)].slice(0, MOST_KNOWN);
  localStorage.setItem(KNOWN, JSON.stringify(names));
}

/** The access token for a tenant and release, renewed where it is about to end; undefined: nobody has signed in. */
export async function tokenFor(tenant: string, release: Release): Promise<string | undefined> {
  const space = { tenant, release };
  const session = await readOwn(space);
  if (session === undefined) return undefined;
  if (session.expires - EARLY_MS > Date.now()) return session.accessToken;
  const key = keyOf(space);
  // Each use of a refresh token makes another one: requests at the same time share one renewal.
  const renewal = renewals.get(key) ?? renew(space, session).finally(() => renewals.delete(key));
  renewals.set(key, renewal);
  return (await renewal)?.accessToken;
}

/**
 * A duplicated tab has a copy of the storage, and the use of a refresh token that another tab has used ends the session of
 * both, except within a few seconds. So the copy keeps the access token alone.
 */
async function readOwn(space: Space): Promise<StoredSession | undefined> {
  const key = keyOf(space);
  const stored = read<StoredSession>(key);
  if (stored?.refreshToken === undefined) return stored;
  const isOwner = await lockForPage(`${key}/${stored.id}`);
  // The person may have signed out meanwhile.
  const session = read<StoredSession>(key);
  if (isOwner || session === undefined) return session;
  const { refreshToken: _, ...copy } = session;
  store(space, copy);
  return copy;
}

/** Sends the browser to the page on which a person signs in. */
export async function signIn(space: Space, back: string): Promise<void> {
  const server = await discover(space.tenant);
  const verifier = oauth.generateRandomCodeVerifier();
  const begun: Begun = {
    space,
    verifier,
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    back,
  };
  sessionStorage.setItem(BEGUN, JSON.stringify(begun));
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: CLIENT_ID,
    redirect_uri: redirectAddress(space.tenant),
    scope: SCOPES,
    state: begun.state,
    nonce: begun.nonce,
    aud: absolute(fhirPath(space)),
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }).toString();
  location.assign(address);
}

/** The address that the server has sent the browser to, with the code. */
let returned: URL | undefined;

/** Removes the answer of a sign-in from the address bar and the history of the tab; `finishSignIn` uses it. */
export function takeAnswer(): void {
  if (!location.pathname.endsWith('/console/signed-in') || location.search === '') return;
  returned = new URL(location.href);
  history.replaceState(history.state, '', location.pathname);
}

/** The server has signed nobody in, such as where the person has cancelled. */
export class SignInRefused extends Error {
  constructor(
    /** What the server says. */
    reason: string,
    /** Path to return to. */
    readonly back: string,
  ) {
    super(reason);
  }
}

/** Ends the sign-in whose answer was taken; returns the path to go on to. Throws `SignInRefused`. */
export async function finishSignIn(): Promise<string> {
  const begun = read<Begun>(BEGUN);
  sessionStorage.removeItem(BEGUN);
  const address = returned;
  returned = undefined;
  if (begun === undefined || address === undefined) throw new Error('no sign-in has begun in this tab');
  const { space, verifier, state, nonce, back } = begun;
  const server = await discover(space.tenant);
  const client = { client_id: CLIENT_ID };
  const parameters = readParameters(() => oauth.validateAuthResponse(server, client, address, state), back);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectAddress(space.tenant),
    verifier,
    INSECURE,
  );
  const answer = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  const person = readPerson(answer);
  // The answer was checked to have an ID token.
  if (person === undefined) throw new Error('the server has not said who has signed in');
  store(space, toSession(answer, { id: crypto.randomUUID(), person }));
  remember(space.tenant);
  return back;
}

/** Throws `SignInRefused` where the answer is a refusal. */
function readParameters<Parameters>(read: () => Parameters, back: string): Parameters {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) throw error;
    throw new SignInRefused(error.error_description ?? error.error, back);
  }
}

/** The person of an ID token; undefined: the answer has none. */
function readPerson(answer: oauth.TokenEndpointResponse): Person | undefined {
  const claims = oauth.getValidatedIdTokenClaims(answer);
  if (claims === undefined) return undefined;
  const textOf = (claim: string): string | undefined => {
    const value = claims[claim];
    return typeof value === 'string' ? value : undefined;
  };
  const record = textOf('fhirUser')?.split('/').slice(-2).join('/');
  return {
    id: claims.sub,
    name: textOf('name') ?? claims.sub,
    tenant: textOf('tenant_name') ?? '',
    isAdministrator: claims['administrator'] === true,
    isAuditor: claims['auditor'] === true,
    ...(record === undefined ? {} : { record }),
  };
}

/** Signs the person out of this tab and of the server; the browser leaves the page. */
export async function signOut(tenant: string): Promise<void> {
  const server = await discover(tenant);
  let hint: string | undefined;
  for (const release of RELEASES) {
    const space = { tenant, release };
    const session = read<StoredSession>(keyOf(space));
    if (session === undefined) continue;
    hint ??= session.idToken;
    store(space, undefined);
    // What is not revoked ends by itself, so that a failure does not keep a person from signing out.
    await oauth
      .revocationRequest(
        server,
        { client_id: CLIENT_ID },
        oauth.None(),
        session.refreshToken ?? session.accessToken,
        INSECURE,
      )
      .catch(() => undefined);
  }
  const back = absolute(tenantPath(tenant));
  if (hint === undefined || server.end_session_endpoint === undefined) return location.assign(back);
  const address = new URL(server.end_session_endpoint);
  address.search = new URLSearchParams({
    id_token_hint: hint,
    client_id: CLIENT_ID,
    post_logout_redirect_uri: back,
  }).toString();
  location.assign(address);
}

/** Loopback addresses have no certificate; all others are used as the page itself was. */
const INSECURE = { [oauth.allowInsecureRequests]: location.protocol === 'http:' };

async function renew(space: Space, session: StoredSession): Promise<StoredSession | undefined> {
  if (session.refreshToken === undefined) {
    store(space, undefined);
    return undefined;
  }
  try {
    const server = await discover(space.tenant);
    const client = { client_id: CLIENT_ID };
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      session.refreshToken,
      INSECURE,
    );
    const answer = await oauth.processRefreshTokenResponse(server, client, response);
    const renewed = toSession(answer, session);
    store(space, renewed);
    return renewed;
  } catch (error) {
    // A server that cannot be reached has not ended the session.
    if (error instanceof TypeError) return session;
    store(space, undefined);
    return undefined;
  }
}

function toSession(
  answer: oauth.TokenEndpointResponse,
  before: Pick<StoredSession, 'id' | 'person' | 'refreshToken' | 'idToken'>,
): StoredSession {
  const refreshToken = answer.refresh_token ?? before.refreshToken;
  const idToken = answer.id_token ?? before.idToken;
  return {
    id: before.id,
    accessToken: answer.access_token,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(idToken === undefined ? {} : { idToken }),
    expires: Date.now() + (answer.expires_in ?? 0) * 1000,
    // Rights may have changed since the sign-in.
    person: readPerson(answer) ?? before.person,
  };
}

const redirectAddress = (tenant: string): string => absolute(consolePath(tenant, 'signed-in'));

async function discover(tenant: string): Promise<oauth.AuthorizationServer> {
  const response = await fetch(`${PREFIX}${tenantPath(tenant, 'oidc/.well-known/openid-configuration')}`);
  const server = (await response.json()) as oauth.AuthorizationServer;
  return server;
}
