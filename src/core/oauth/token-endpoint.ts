/** The token endpoint without HTTP (RFC 6749; https://hl7.org/fhir/smart-app-launch/app-launch.html). */
import { createHash } from 'node:crypto';
import type { IntrospectionAnswer, TokenAnswer, TokenRequest } from '../api/access';
import type { StoredClient } from '../storage/accounts/client-applications';
import type { GrantStore, UserGrant } from '../storage/accounts/user-grants';
import { toWords, type AccessTokens } from './access-tokens';
import { isConsole } from './console-client';
import { OFFLINE_SECONDS } from './grant-code';
import { rightsOf } from './consent';
import type { ClientAuthentication, ClientProof } from './client-authentication';
import { OAuthError } from '../api/oauth-error';
import { familyOf, hashToken, makeRefreshToken } from './random-token';
import { readToken } from './read-token';
import { coversScope } from '../authorization/scope-cover';
import { ownScopes } from '../authorization/scope';
import { ANY_PATIENT, usableScopes } from '../authorization/usable-scopes';
import type { TenantSpace } from '../context';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import type { SearchTypeContext } from '../search/types/search-type';
import { STYLE_PATH, toIssuer, toRoot } from '../api/tenant-address';
import { noteAccount } from '../audit/sign-in-trail';
import type { UserGrants } from '../authorization/user-grants';
import type { Users } from './users';

/** Characters of a code verifier (RFC 7636, section 4.1). */
const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
const CODE = /^[\w-]{43}$/;

/** The parts of the token endpoint. */
export interface TokenEndpointParts {
  readonly authentication: ClientAuthentication;
  readonly tokens: AccessTokens;
  readonly grants: GrantStore;
  readonly userGrants: UserGrants;
  readonly users: Users;
  readonly seconds: number;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  /** With all search parameters of the space. */
  searchContext(space: TenantSpace): SearchTypeContext;
}

/** The grant and scopes of a token response. */
interface TokensToIssue {
  readonly grant: UserGrant;
  readonly allowed: readonly string[];
  readonly refresh: string | undefined;
}

export class TokenEndpoint {
  constructor(private readonly parts: TokenEndpointParts) {}

  /**
   * Throws OAuthError, and FhirError for failures that the request did not cause (tooManyRequests, storageUnavailable
   * …).
   */
  async grant(request: TokenRequest): Promise<TokenAnswer> {
    const grantType = request.parameters.get('grant_type');
    if (grantType === undefined) throw new OAuthError('invalid_request', 'grant_type is missing');
    const way = WAYS.get(grantType);
    if (way === undefined)
      throw new OAuthError(
        'unsupported_grant_type',
        `The grant_types here are ${[...WAYS.keys()].join(', ')}`,
      );
    const proof = await this.parts.authentication.prove(
      way === 'refresh' ? await this.#named(request) : request,
    );
    if (way === 'client') return this.#forClient(request, proof);
    if (proof.client.redirectUris.length === 0 && !isConsole(proof.client))
      throw new OAuthError(
        'unauthorized_client',
        'People cannot sign in for this client: it has no redirect URI',
      );
    return way === 'code' ? this.#forCode(request, proof.client) : this.#forRefresh(request, proof.client);
  }

  /** Revokes the grant of a token of this client, whatever kind it is (RFC 7009). Throws OAuthError. */
  async revoke(request: TokenRequest): Promise<void> {
    const { space, parameters } = request;
    const { client } = await this.parts.authentication.prove(request);
    const text = parameters.get('token');
    if (text === undefined) throw new OAuthError('invalid_request', 'token is missing');
    const refresh = toHashes(text);
    const found =
      refresh &&
      (await this.parts.grants.findByRefresh(space, client.id, refresh, (ended) =>
        noteAccount(request.trail, ended),
      ));
    if (found !== undefined) noteAccount(request.trail, found);
    const token = readToken(text);
    const access = token && (await this.parts.tokens.verify(space, space.tenant, token));
    const isOwn = access?.client === client.id;
    if (isOwn && access.grant === undefined)
      throw new OAuthError(
        'unsupported_token_type',
        'A token without a person cannot be revoked; it expires within minutes',
      );
    const id = found?.id ?? (isOwn ? access.grant : undefined);
    if (isOwn && found === undefined && request.trail !== undefined && access.user !== undefined)
      request.trail.person = access.user;
    if (id !== undefined) await this.parts.grants.revoke(space, client.id, id);
    this.parts.userGrants.invalidate();
  }

  /** Returns the current rights of a token of this client (RFC 7662). Throws OAuthError. */
  async introspect(request: TokenRequest): Promise<IntrospectionAnswer> {
    const { space, parameters } = request;
    const { client, isProven } = await this.parts.authentication.prove(request);
    if (!isProven) throw new OAuthError('invalid_client', 'The client must authenticate');
    const text = parameters.get('token');
    if (text === undefined) throw new OAuthError('invalid_request', 'token is missing');
    const token = readToken(text);
    const access = token && (await this.parts.tokens.verify(space, space.tenant, token));
    if (access === undefined || access.client !== client.id) return { active: false };
    if (access.grant !== undefined && (await this.parts.userGrants.find(space, access.grant)) === undefined)
      return { active: false };
    const { user, patient, encounter, release, issuedBy: issuer, subject } = access;
    const scopes = access.scopes.filter((scope) => coversScope(client.scopes, scope));
    const base = issuer.slice(0, issuer.lastIndexOf('/w/'));
    return {
      active: true,
      client_id: access.client,
      scope: scopes.join(' '),
      exp: access.expires,
      token_type: 'Bearer',
      iss: issuer,
      ...(subject === undefined ? {} : { sub: subject }),
      // As in the ID token; a token of both releases has no such address.
      ...(user === undefined
        ? {}
        : {
            fhirUser:
              release === undefined ? user : `${toRoot({ base, tenant: space.tenant }, release)}/${user}`,
          }),
      ...(patient === undefined ? {} : { patient }),
      ...(encounter === undefined ? {} : { encounter }),
    };
  }

  /**
   * Adds the client id of the refresh token to a request without one. RFC 6749, section 6, requires only the token
   * from a public client that refreshes, and some clients send nothing else (SMART's own fhirclient).
   */
  async #named(request: TokenRequest): Promise<TokenRequest> {
    const { space, parameters, authorization } = request;
    const isSaid = ['client_id', 'client_secret', 'client_assertion'].some((name) => parameters.has(name));
    const hashes = toHashes(parameters.get('refresh_token') ?? '');
    if (isSaid || authorization !== undefined || hashes === undefined) return request;
    const client = await this.parts.grants.clientOfFamily(space, hashes.family);
    return client === undefined
      ? request
      : { ...request, parameters: new Map([...parameters, ['client_id', client]]) };
  }

  /** RFC 6749, section 4.4. */
  async #forClient(request: TokenRequest, { client, isProven }: ClientProof): Promise<TokenAnswer> {
    if (!isProven)
      throw new OAuthError('unauthorized_client', 'A public client is not allowed to act without a person');
    const { space, base, parameters } = request;
    const chosen = chooseScopes(client, parameters.get('scope'));
    const holder = { isAdministrator: client.isAdministrator, isAuditor: client.isAuditor };
    const scopes = await this.#usable(space, RELEASE_NAMES, holder, chosen);
    if (chosen.length > 0 && scopes.length === 0)
      throw new OAuthError('invalid_scope', 'None of the scopes grants anything here');
    const { tokens, seconds } = this.parts;
    const grant = { client: client.id, scopes };
    const token = await tokens.issue(space, { base, tenant: space.tenant }, grant, seconds);
    return { access_token: token, token_type: 'Bearer', expires_in: seconds, scope: scopes.join(' ') };
  }

  /** RFC 6749, section 4.1.3, and RFC 7636. Every attempt uses up the code. */
  async #forCode(request: TokenRequest, client: StoredClient): Promise<TokenAnswer> {
    const { space, parameters } = request;
    const code = parameters.get('code');
    const verifier = parameters.get('code_verifier');
    const redirectUri = parameters.get('redirect_uri');
    for (const [name, value] of Object.entries({ code, code_verifier: verifier, redirect_uri: redirectUri }))
      if (value === undefined) throw new OAuthError('invalid_request', `${name} is missing`);
    if (code === undefined || verifier === undefined || !CODE.test(code)) throw NOT_GOOD();
    const refresh = makeRefreshToken();
    const grant = client.isDisabled
      ? undefined
      : await this.parts.grants.useCode(space, client.id, hashToken(code), hashesOf(refresh));
    this.parts.userGrants.invalidate();
    if (grant === undefined) throw NOT_GOOD();
    noteAccount(request.trail, grant);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    if (!VERIFIER.test(verifier) || challenge !== grant.codeChallenge || redirectUri !== grant.redirectUri) {
      await this.parts.grants.revoke(space, client.id, grant.id);
      throw NOT_GOOD();
    }
    return this.#answer(request, client, {
      grant,
      allowed: grant.scopes,
      refresh: isRefreshed(grant, client) ? refresh : undefined,
    });
  }

  /**
   * RFC 6749, section 6: a refresh token is valid once, and for a few seconds again. The use of an old one revokes its whole
   * family.
   */
  async #forRefresh(request: TokenRequest, client: StoredClient): Promise<TokenAnswer> {
    const { space, parameters } = request;
    const text = parameters.get('refresh_token');
    if (text === undefined) throw new OAuthError('invalid_request', 'refresh_token is missing');
    const { grants, userGrants } = this.parts;
    const hashes = client.isDisabled ? undefined : toHashes(text);
    const grant =
      hashes &&
      (await grants.findByRefresh(space, client.id, hashes, (ended) => noteAccount(request.trail, ended)));
    if (grant !== undefined) noteAccount(request.trail, grant);
    if (hashes === undefined || grant === undefined || !isRefreshed(grant, client)) {
      userGrants.invalidate();
      throw NOT_GOOD();
    }
    const allowed = await this.#narrowed(space, grant, toWords(parameters.get('scope') ?? ''));
    const next = makeRefreshToken(familyOf(text));
    if (
      !(await grants.rotate(space, client.id, {
        refresh: hashes,
        next: hashToken(next),
        seconds: OFFLINE_SECONDS,
      }))
    ) {
      userGrants.invalidate();
      throw NOT_GOOD();
    }
    return this.#answer(request, client, {
      grant,
      allowed,
      refresh: next,
    });
  }

  /**
   * Returns the requested ones of the grant's scopes or parts of them (`patient/Observation.rs` of `patient/*.rs`); all
   * where none is requested. Throws OAuthError.
   */
  async #narrowed(
    space: TenantSpace,
    grant: UserGrant,
    requested: readonly string[],
  ): Promise<readonly string[]> {
    if (requested.length === 0) return grant.scopes;
    if (requested.some((scope) => !coversScope(grant.scopes, scope)))
      throw new OAuthError('invalid_scope', 'A refresh must not request more scopes than were granted');
    const { fhirUser: user, patient } = grant;
    const account = await this.parts.users.find(space, grant.account);
    const holder = {
      ...(user === null ? {} : { user }),
      ...(patient === null ? {} : { patient }),
      // Each request checks again which records the person reaches.
      userPatients: [patient ?? ANY_PATIENT],
      ...rightsOf(account ?? NO_RIGHTS, grant.scopes),
    };
    const scopes = await this.#usable(space, [grant.release], holder, [...new Set(requested)]);
    if (scopes.length === 0) throw new OAuthError('invalid_scope', 'None of the scopes grants anything here');
    return scopes;
  }

  /** Returns the scopes that can allow something in the data of one of the releases. */
  async #usable(
    { tenant }: TenantSpace,
    releases: readonly Release[],
    holder: Parameters<typeof usableScopes>[1],
    scopes: readonly string[],
  ): Promise<readonly string[]> {
    const usable = new Set<string>();
    for (const release of releases) {
      const space = await this.parts.findSpace(tenant, release);
      if (space === undefined) continue;
      for (const scope of usableScopes(this.parts.searchContext(space), holder, scopes)) usable.add(scope);
    }
    return scopes.filter((scope) => usable.has(scope));
  }

  async #answer(
    { space, base }: TokenRequest,
    client: StoredClient,
    { grant, allowed, refresh }: TokensToIssue,
  ): Promise<TokenAnswer> {
    const { tokens, seconds, users } = this.parts;
    const address = { base, tenant: space.tenant };
    const scopes = allowed.filter((scope) => coversScope(client.scopes, scope));
    const token = await tokens.issue(
      space,
      address,
      {
        client: client.id,
        scopes,
        subject: grant.account,
        grant: grant.id,
        release: grant.release,
        ...(grant.fhirUser === null ? {} : { user: grant.fhirUser }),
        ...(grant.patient === null ? {} : { patient: grant.patient }),
        ...(grant.encounter === null ? {} : { encounter: grant.encounter }),
      },
      seconds,
    );
    const user = scopes.includes('openid') ? await users.find(space, grant.account) : undefined;
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: seconds,
      scope: scopes.join(' '),
      ...(grant.patient === null ? {} : { patient: grant.patient }),
      ...(grant.encounter === null ? {} : { encounter: grant.encounter }),
      ...(isLaunched(grant)
        ? {
            need_patient_banner: grant.needPatientBanner ?? true,
            smart_style_url: grant.smartStyleUrl ?? `${toIssuer(address)}${STYLE_PATH}`,
          }
        : {}),
      ...(refresh === undefined ? {} : { refresh_token: refresh }),
      ...(user === undefined
        ? {}
        : {
            id_token: await tokens.issueIdToken(
              space,
              address,
              {
                ...{ grant, scopes, name: user.display, algorithm: client.idTokenAlgorithm },
                ...(isConsole(client)
                  ? { account: { ...rightsOf(user, scopes), tenant: space.display ?? space.tenant } }
                  : {}),
              },
              seconds,
            ),
          }),
    };
  }
}

const WAYS: ReadonlyMap<string, 'client' | 'code' | 'refresh'> = new Map([
  ['client_credentials', 'client'],
  ['authorization_code', 'code'],
  ['refresh_token', 'refresh'],
]);

const NO_RIGHTS = { isAdministrator: false, isAuditor: false };

const NOT_GOOD = (): OAuthError =>
  new OAuthError('invalid_grant', 'The grant is not valid for this client, was used before, or has expired');

/** True if the grant began with a launch from an EHR. */
function isLaunched({ scopes }: UserGrant): boolean {
  return scopes.includes('launch');
}

/**
 * True if the person has allowed it, and the client still has the scope. A grant with both scopes is for offline access: it
 * outlives the session of the browser, which online_access does not allow.
 */
function isRefreshed({ scopes }: UserGrant, client: StoredClient): boolean {
  const scope = scopes.includes('offline_access') ? 'offline_access' : 'online_access';
  return scopes.includes(scope) && client.scopes.includes(scope);
}

function toHashes(refreshToken: string): ReturnType<typeof hashesOf> | undefined {
  return familyOf(refreshToken) === undefined ? undefined : hashesOf(refreshToken);
}

function hashesOf(refreshToken: string): { readonly family: Buffer; readonly token: Buffer } {
  return { family: hashToken(familyOf(refreshToken) ?? ''), token: hashToken(refreshToken) };
}

/**
 * Returns the requested scopes that the client has itself, or all of those where none were requested. `user/` and
 * `patient/` scopes require a signed-in user.
 */
function chooseScopes(client: StoredClient, requestedScopes: string | undefined): readonly string[] {
  const held = ownScopes(client.scopes);
  if (requestedScopes === undefined || requestedScopes.trim() === '') return held;
  const chosen = [...new Set(toWords(requestedScopes))].filter((scope) => coversScope(held, scope));
  if (chosen.length === 0)
    throw new OAuthError('invalid_scope', 'None of the requested scopes is allowed for the client');
  return chosen;
}
