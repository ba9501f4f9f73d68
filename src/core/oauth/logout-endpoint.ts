/**
 * The logout endpoint without HTTP (OpenID Connect RP-Initiated Logout 1.0): a client sends the browser of its user here, and
 * the session of the browser ends. The ID token of the request proves that the client asks for a user of its own.
 */
import type { SignInStep, SignOutVisit } from '../api/sign-in';
import { noteAccount } from '../audit/sign-in-trail';
import type { UserGrants } from '../authorization/user-grants';
import type { StoredClient } from '../storage/accounts/client-applications';
import type { GrantStore } from '../storage/accounts/user-grants';
import type { AccessTokens } from './access-tokens';
import { readAuthorization, NoRedirectTarget } from './authorization-request';
import type { Clients } from './clients';
import { isConsole, toConsole } from './console-client';
import { hashToken } from './random-token';
import { readToken } from './read-token';
import type { TenantAddress } from '../api/tenant-address';
import type { Users } from './users';

const LONGEST = 2_000;

/** The text is the same whether or not the tenant exists. */
const NOT_PROVEN =
  'The request to sign out must have an id_token_hint that this server has issued, and a client_id only if it is that of its client';

interface LogoutParts {
  readonly clients: Clients;
  readonly users: Users;
  readonly grants: GrantStore;
  readonly userGrants: UserGrants;
  readonly tokens: AccessTokens;
  readonly publicUrls: readonly string[];
}

export class LogoutEndpoint {
  constructor(private readonly parts: LogoutParts) {}

  async signOut(visit: SignOutVisit): Promise<SignInStep> {
    try {
      return await this.#signOut(visit, readAuthorization(visit.query));
    } catch (error) {
      if (error instanceof NoRedirectTarget) return { kind: 'refused', status: 400, reason: error.message };
      throw error;
    }
  }

  async #signOut(visit: SignOutVisit, parameters: ReadonlyMap<string, string>): Promise<SignInStep> {
    const { space, trail } = visit;
    const hint = readToken(parameters.get('id_token_hint') ?? '');
    const proven = hint && (await this.parts.tokens.verifyIdToken(space, space.tenant, hint));
    const named = parameters.get('client_id');
    if (proven === undefined || (named !== undefined && named !== proven.client))
      throw new NoRedirectTarget(NOT_PROVEN);
    // Browsers send no cookies with a POST from the client's page, but they do with the GET that it is redirected to.
    if (visit.isPosted && visit.sessionCookie === undefined)
      return { kind: 'redirect', to: `logout?${new URLSearchParams([...parameters]).toString()}` };
    const client = await this.parts.clients.find(space, proven.client);
    if (trail !== undefined && client !== undefined) trail.client = client.id;
    const hasEnded = await this.#endSession(visit, proven.subject);
    const session = hasEnded ? { session: null } : {};
    const to = client && this.#targetOf(visit, client, parameters);
    return to === undefined ? { kind: 'signed-out', ...session } : { kind: 'redirect', to, ...session };
  }

  /** True: the session of the browser was that of the account. Somebody else's stays. */
  async #endSession({ space, sessionCookie, trail }: SignOutVisit, account: string): Promise<boolean> {
    if (sessionCookie === undefined) return false;
    const session = hashToken(sessionCookie);
    if ((await this.parts.grants.findSession(space, session))?.account !== account) return false;
    const user = await this.parts.users.find(space, account);
    if (user !== undefined) noteAccount(trail, { ...user, account });
    await this.parts.grants.endSession(space, session);
    this.parts.userGrants.invalidate();
    return true;
  }

  /** The address that the client may send the browser to; undefined: it names none, or may not. */
  #targetOf(
    { space, base }: SignOutVisit,
    client: StoredClient,
    parameters: ReadonlyMap<string, string>,
  ): string | undefined {
    const target = parameters.get('post_logout_redirect_uri');
    if (target === undefined || target.length > LONGEST || client.isDisabled || !URL.canParse(target))
      return undefined;
    const bases = this.parts.publicUrls.length > 0 ? this.parts.publicUrls : [base];
    const url = new URL(target);
    const isAllowed = isConsole(client)
      ? bases.some((one) => isOfConsole(url, { base: one, tenant: space.tenant }))
      : isOfSameOrigin(url, target, client.redirectUris);
    if (!isAllowed) return undefined;
    const state = parameters.get('state');
    if (state !== undefined && state.length <= LONGEST) url.searchParams.set('state', state);
    return url.href;
  }
}

/** True for the page of the tenant and those below its console, in the normal form of a URL. */
function isOfConsole({ href }: URL, address: TenantAddress): boolean {
  const page = new URL(`${address.base}/w/${address.tenant}`).href;
  return href === page || href.startsWith(`${new URL(toConsole(address)).href}/`);
}

/** True for a web address on the origin of a redirect address, and for each redirect address itself. */
function isOfSameOrigin(
  { origin, protocol, username, password, hash }: URL,
  target: string,
  redirectUris: readonly string[],
): boolean {
  if (redirectUris.includes(target)) return true;
  const isPlain = username === '' && password === '' && hash === '';
  // The origin of a private-use scheme is opaque.
  if (!isPlain || !['https:', 'http:'].includes(protocol)) return false;
  return redirectUris.some((uri) => new URL(uri).origin === origin);
}
