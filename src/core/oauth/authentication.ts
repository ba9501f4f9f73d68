import { createHash } from 'node:crypto';
import { ANONYMOUS_CALLER, type Caller } from '../api/access';
import type { TenantSpace, Access } from '../context';
import { fhirError } from '../errors';
import { coversRelease, type Release } from '../fhir/release';
import type { StoredClient } from '../storage/accounts/client-applications';
import type { TokenIssuer } from '../storage/accounts/token-issuers';
import type { GrantHolder } from '../storage/accounts/user-grants';
import type { AccessTokens, Grant } from './access-tokens';
import type { Clients } from './clients';
import type { OutsideIssuers } from './issuers';
import { readToken, type ReadToken } from './read-token';
import { readPerson } from '../authorization/person';
import type { OwnPatients, PersonPatients } from '../authorization/person-patients';
import { ownScopes } from '../authorization/scope';
import type { SigningKeys } from './signing-keys';
import { toCaller } from './to-caller';
import type { UserGrants } from '../authorization/user-grants';
import type { Credentials } from '../api/credentials';
import { createCache } from '../memory/create-cache';

/** `open`: requests without credentials are served; `enforced`: they are refused. */
export type AuthMode = 'open' | 'enforced';

/** The result of checking credentials. */
type Verdict =
  | { readonly kind: 'caller'; readonly caller: Caller }
  /** Credentials of this tenant that are not valid. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Credentials that this tenant cannot verify. */
  | { readonly kind: 'unverifiable' }
  /** Valid credentials of another tenant. */
  | { readonly kind: 'foreign' };

/** Cached verified tokens, some 300 bytes each. */
const MAX_TOKENS = 20_000;
/** Cached authorization headers, and their lifetime. */
const MAX_HEADERS = 1_000;
const HEADER_MS = 60_000;
/**
 * Milliseconds for which a valid token is not checked again. With the delay of `RefreshingCache` it stays below 2 s.
 */
const GOOD_MS = 100;

interface VerifiedToken {
  readonly grant: Grant;
  /** `kid` of the tenant's signing key, or the name of the external issuer. */
  readonly key: string;
  /** The external issuer at verification; undefined: the tenant has signed the token itself. */
  readonly issuer?: TokenIssuer;
  /** Milliseconds since 1970. */
  readonly expires: number;
  /** The caller by release, because the user and patients differ between releases. */
  readonly made: Partial<Record<Release, MadeCaller>>;
}

interface MadeCaller {
  readonly client: StoredClient;
  readonly holder: GrantHolder | undefined;
  readonly user: string | undefined;
  readonly patients: OwnPatients | undefined;
  readonly caller: Caller;
}

/** A successful check of a token. */
interface LastCheck {
  readonly space: number;
  readonly caller: Caller;
  readonly until: number;
  readonly changes: number;
}

/** A cached token by its authorization header. */
interface CachedHeader {
  readonly authorization: string;
  readonly tenantNumber: number;
  readonly token: VerifiedToken;
  /** Expiry in the time of `performance.now()`. */
  readonly until: number;
  /** The result of the last check; valid until `until` and while `changes` is the same. */
  good?: LastCheck;
}

/** The parts of the identification of callers. */
interface AuthenticationParts {
  readonly clients: Clients;
  readonly keys: SigningKeys;
  readonly tokens: AccessTokens;
  readonly issuers: OutsideIssuers;
  readonly grants: UserGrants;
  readonly patients: PersonPatients;
  /** As `readPerson` takes them. */
  readonly publicUrls: readonly string[];
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
  /** As that of `Core`. */
  decoy(tenant: string, release: Release): TenantSpace | undefined;
}

/** Identifies the caller by the credentials of a request (docs/reference/behaviour.md, Access). */
export class Authentication {
  readonly #tokens = createCache<string, VerifiedToken>({ name: 'tokens', scope: 'data', max: MAX_TOKENS });
  /** Headers of the last minute, for each tenant; they save a hash, which costs as much as all other steps. */
  readonly #headers = createCache<string, CachedHeader>({
    name: 'authorization-headers',
    scope: 'data',
    max: MAX_HEADERS,
  });
  /**
   * The most recent header: consecutive requests often send the same one, and a comparison costs less than a lookup.
   */
  #latest: CachedHeader | undefined;
  /** Callers of clients that send their secret with each request. */
  readonly #callers = new WeakMap<StoredClient, Caller>();

  constructor(
    private readonly mode: AuthMode,
    private readonly parts: AuthenticationParts,
  ) {}

  /**
   * Identifies the caller. Throws `unauthorized` for invalid or revoked credentials of this tenant and, in enforced
   * mode, for all others (`forbidden` where they are valid for another tenant). Throws `tooManyRequests` after too
   * many wrong secrets. Cost: nothing without credentials, some microseconds for cached ones.
   */
  identify(credentials: Credentials): Caller | Promise<Caller> {
    if (credentials.authorization !== undefined)
      return (
        this.#recall(credentials) ?? this.#identify(this.#located(credentials), credentials.authorization)
      );
    if (this.mode === 'open') return ANONYMOUS_CALLER;
    throw fhirError('unauthorized', { reason: 'Credentials are needed here: a bearer token of this tenant' });
  }

  /** Verifies credentials for a missing tenant like others: it takes as long, and guesses are counted. */
  #located(credentials: Credentials): Credentials {
    if (credentials.space !== undefined) return credentials;
    return { ...credentials, space: this.parts.decoy(credentials.tenant, 'r4') };
  }

  /** Returns the caller of a recent token that is still valid; undefined: not known without a query. */
  #recall({ space, authorization = '' }: Credentials): Caller | undefined {
    const isLatest = this.#latest?.authorization === authorization;
    const cached = isLatest ? this.#latest : this.#headers.get(authorization);
    if (cached === undefined || space === undefined || cached.tenantNumber !== space.tenantNumber)
      return undefined;
    const now = performance.now();
    if (cached.until < now) {
      this.#latest = undefined;
      this.#headers.delete(authorization);
      return undefined;
    }
    this.#latest = cached;
    const { good } = cached;
    const { issuers, keys, clients, patients } = this.parts;
    const changes = issuers.changes + keys.changes + clients.changes + patients.changes;
    const isAsGood = good !== undefined && good.space === space.number && good.changes === changes;
    if (isAsGood && now < good.until) return good.caller;
    const caller = this.#bringerOf(cached.token, space);
    if (caller !== undefined) {
      const until = now + Math.min(GOOD_MS, cached.token.expires - Date.now());
      cached.good = { space: space.number, caller, until, changes };
    }
    return caller;
  }

  /** Returns the caller of a cached token, as `#recall`. */
  #bringerOf(
    { key, issuer, expires, grant, made: all }: VerifiedToken,
    space: TenantSpace,
  ): Caller | undefined {
    // A consent can end by itself and is for one release, so it is checked each time.
    if (grant.grant !== undefined || grant.release !== undefined) return undefined;
    const made = all[space.release];
    const { issuers, keys, clients, patients } = this.parts;
    const source = issuer === undefined ? keys.find(space, key) : issuers.find(space, key);
    if (issuer !== undefined && source !== issuer) return undefined;
    const client = clients.find(space, grant.client);
    const isValid = source !== undefined && !(source instanceof Promise) && expires > Date.now();
    if (!isValid || client === undefined || client !== made?.client || client.isDisabled) return undefined;
    return patients.of(space, made.user) === made.patients ? made.caller : undefined;
  }

  /**
   * The caller of an earlier request that runs only now, with the current permissions of its client. Throws
   * `unauthorized` where the client has lost access since. Cost: a lookup.
   */
  async renew(space: TenantSpace, caller: Caller): Promise<Caller> {
    const { access } = caller;
    if (access === undefined && this.mode === 'open') return caller;
    const client = access && (await this.parts.clients.find(space, access.client));
    const holder = await this.#holderOf(space, access?.grant);
    const isAllowed =
      (access?.grant === undefined || holder !== undefined) &&
      (access?.issuer === undefined || (await this.#isStillOf(space, access)));
    if (access === undefined || client === undefined || client.isDisabled || !isAllowed)
      throw fhirError('unauthorized', {
        reason: 'The client that sent this request is no longer allowed to do this',
      });
    return toCaller(client, access, { holder, patients: await this.parts.patients.of(space, access.user) });
  }

  /** The account of a grant and its rights now; undefined: the grant is not valid, or there is none. */
  async #holderOf(space: TenantSpace, grant: string | undefined): Promise<GrantHolder | undefined> {
    return grant === undefined ? undefined : this.parts.grants.find(space, grant);
  }

  /** True: the external issuer of a token still belongs to this tenant and release, for that client. */
  async #isStillOf(space: TenantSpace, { issuer: name = '', client }: Access): Promise<boolean> {
    const issuer = await this.parts.issuers.find(space, name);
    return issuer?.client === client && coversRelease(issuer.release, space.release);
  }

  async #identify(credentials: Credentials, authorization: string): Promise<Caller> {
    const verdict = await this.#verify(credentials, authorization);
    switch (verdict.kind) {
      case 'caller':
        return verdict.caller;
      case 'refused':
        throw fhirError('unauthorized', { reason: verdict.reason });
      case 'foreign':
        if (this.mode === 'open') return ANONYMOUS_CALLER;
        throw fhirError('forbidden', { reason: 'These credentials are not of this tenant' });
      case 'unverifiable':
        if (this.mode === 'open') return ANONYMOUS_CALLER;
        throw fhirError('unauthorized', { reason: NOT_GOOD.reason });
    }
  }

  async #verify(credentials: Credentials, authorization: string): Promise<Verdict> {
    const [, scheme = '', value = ''] = /^\s*(\S+)\s+(\S+)\s*$/.exec(authorization) ?? [];
    if (/^bearer$/i.test(scheme)) return this.#verifyToken(credentials, value);
    if (/^basic$/i.test(scheme)) return this.#verifySecret(credentials, value);
    return { kind: 'unverifiable' };
  }

  async #verifyToken({ tenant, space, authorization = '' }: Credentials, text: string): Promise<Verdict> {
    const { tokens } = this.parts;
    const name = `${space?.tenantNumber ?? ''} ${createHash('sha256').update(text).digest('base64url')}`;
    const cached = this.#tokens.get(name);
    if (cached !== undefined && space !== undefined && (await this.#isOfSame(space, cached))) {
      const until = performance.now() + HEADER_MS;
      this.#headers.set(authorization, {
        authorization,
        tenantNumber: space.tenantNumber,
        token: cached,
        until,
      });
      return this.#verifyGrant(space, cached);
    }
    const token = readToken(text);
    const issuer = token?.payload['iss'];
    if (token === undefined || typeof issuer !== 'string') return { kind: 'unverifiable' };
    const outside = space && (await this.parts.issuers.find(space, issuer));
    if (space === undefined || (outside === undefined && !tokens.isOwn(tenant, issuer)))
      return this.#verifyForeign(token, issuer);
    const verified =
      outside === undefined
        ? await this.#verifyOwn(space, tenant, token)
        : await this.#verifyOutside(space, outside, token);
    if (verified === undefined) return NOT_GOOD;
    this.#tokens.set(name, verified);
    return this.#verifyGrant(space, verified);
  }

  /** True: the external issuer has not changed since the token was verified. */
  async #isOfSame(space: TenantSpace, { issuer, key }: VerifiedToken): Promise<boolean> {
    return issuer === undefined || (await this.parts.issuers.find(space, key)) === issuer;
  }

  async #verifyOwn(space: TenantSpace, tenant: string, token: ReadToken): Promise<VerifiedToken | undefined> {
    const grant = await this.parts.tokens.verify(space, tenant, token);
    return grant && { grant, key: grant.key, expires: grant.expires * 1000, made: {} };
  }

  async #verifyOutside(
    space: TenantSpace,
    issuer: TokenIssuer,
    token: ReadToken,
  ): Promise<VerifiedToken | undefined> {
    const grant = await this.parts.issuers.verify(space, issuer, token);
    return grant && { grant, key: issuer.issuer, issuer, expires: grant.expires * 1000, made: {} };
  }

  /** Checks a verified token again: it is valid until it expires, its key is withdrawn or its client is disabled. */
  async #verifyGrant(space: TenantSpace, verified: VerifiedToken): Promise<Verdict> {
    const { grant, key, issuer, expires } = verified;
    const { issuers, keys } = this.parts;
    const source = await (issuer === undefined ? keys.find(space, key) : issuers.find(space, key));
    const isGood = expires > Date.now() && source !== undefined;
    const client = await this.parts.clients.find(space, grant.client);
    const holder = await this.#holderOf(space, grant.grant);
    const isAllowed = grant.grant === undefined || holder !== undefined;
    if (!isGood || !isAllowed || client === undefined || client.isDisabled) return NOT_GOOD;
    // The ids of the user and the patient belong to one release.
    const { release } = space;
    if (grant.release !== undefined && grant.release !== release) return OF_OTHER_RELEASE;
    if (issuer !== undefined && !coversRelease(issuer.release, release)) return OF_OTHER_RELEASE;
    const before = verified.made[release];
    const user = before === undefined ? this.#personOf(space, grant) : before.user;
    const patients = await this.parts.patients.of(space, user);
    if (before?.client === client && before.patients === patients && before.holder === holder)
      return { kind: 'caller', caller: before.caller };
    const { user: _text, ...rest } = grant;
    const resolved = {
      ...rest,
      ...(user === undefined ? {} : { user }),
      ...(issuer === undefined ? {} : { issuer: key }),
    };
    const caller = toCaller(client, resolved, { holder, patients });
    verified.made[release] = { client, holder, user, patients, caller };
    return { kind: 'caller', caller };
  }

  #personOf(space: TenantSpace, { user }: Grant): string | undefined {
    return user === undefined ? undefined : readPerson(user, space, this.parts.publicUrls);
  }

  /** Recognizes a valid token of another tenant of this server. */
  async #verifyForeign(token: ReadToken, issuer: string): Promise<Verdict> {
    const [, other] = /\/w\/([a-z0-9-]{1,63})\/oidc$/.exec(issuer) ?? [];
    if (other === undefined || !this.parts.tokens.isOwn(other, issuer)) return { kind: 'unverifiable' };
    const space = await this.parts.findSpace(other, 'r4');
    const grant = space === undefined ? undefined : await this.parts.tokens.verify(space, other, token);
    return { kind: grant === undefined ? 'unverifiable' : 'foreign' };
  }

  async #verifySecret({ space, address }: Credentials, encoded: string): Promise<Verdict> {
    const pair = Buffer.from(encoded, 'base64').toString('utf8');
    const colon = pair.indexOf(':');
    if (space === undefined || colon < 1) return { kind: 'unverifiable' };
    const id = pair.slice(0, colon);
    // In open mode the credentials may be meant for another server, such as a proxy.
    if (this.mode === 'open' && (await this.parts.clients.find(space, id)) === undefined)
      return { kind: 'unverifiable' };
    const proof = await this.parts.clients.prove(space, id, pair.slice(colon + 1), address);
    if (proof.kind === 'refused') return NOT_GOOD;
    const { client } = proof;
    let caller = this.#callers.get(client);
    if (caller === undefined) {
      caller = toCaller(client, { client: client.id, scopes: ownScopes(client.scopes) });
      this.#callers.set(client, caller);
    }
    return { kind: 'caller', caller };
  }
}

/** The text is the same whether or not the client, issuer or tenant exists. */
const NOT_GOOD = {
  kind: 'refused',
  reason:
    'The credentials are not good here: they are of no client of this tenant, have expired, or were withdrawn',
} as const;

const OF_OTHER_RELEASE: Verdict = {
  kind: 'refused',
  reason: 'The token is for the data of the other release of FHIR',
};
