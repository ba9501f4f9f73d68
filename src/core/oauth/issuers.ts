/** Tokens of external issuers, such as a hospital's identity provider. */
import type { NewIssuer } from '../api/access';
import { fhirError } from '../errors';
import { isShownName, SHOWN_NAME_EXPECTED } from '../limits/shown-name';
import type { Destinations } from '../outbound/destinations';
import type { AdministeredTenant } from '../storage/accounts/administrators';
import type { TenantReference } from '../storage/accounts/client-applications';
import type { IssuerStore, TokenIssuer } from '../storage/accounts/token-issuers';
import { toWords, type Grant } from './access-tokens';
import { loadJose } from './jose';
import type { ReadToken } from './read-token';
import { RefreshingCache } from '../memory/refreshing-cache';
import type { RemoteKeys } from './remote-keys';
import { isValidId } from '../fhir/resource';

/** Excludes `none` and signatures with a shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Tolerance for clock differences. */
const CLOCK_SECONDS = 30;
const MAX_TEXT = 500;

interface Issuers {
  readonly list: readonly TokenIssuer[];
}

export interface OutsideGrant extends Grant {
  /** Seconds since 1970. */
  readonly expires: number;
}

/** The parts of the check of outside issuers. */
interface OutsideIssuersParts {
  readonly store: IssuerStore;
  readonly keys: RemoteKeys;
  readonly destinations: Destinations;
  /** Longest lifetime of their tokens in seconds. */
  readonly longestSeconds: number;
}

export class OutsideIssuers {
  readonly #recent = new RefreshingCache<Issuers>('issuers', 1_000);

  constructor(private readonly parts: OutsideIssuersParts) {}

  /** As `RefreshingCache.changes`. */
  get changes(): number {
    return this.#recent.changes;
  }

  /** Undefined: the tenant does not accept tokens of this issuer. */
  find(space: TenantReference, issuer: string): TokenIssuer | undefined | Promise<TokenIssuer | undefined> {
    const load = async (): Promise<Issuers> => ({ list: await this.parts.store.list(space) });
    const issuersOfTenant = this.#recent.get(String(space.tenantNumber), load);
    const pick = (issuers: Issuers | undefined): TokenIssuer | undefined =>
      issuers?.list.find((each) => each.issuer === issuer);
    return issuersOfTenant instanceof Promise ? issuersOfTenant.then(pick) : pick(issuersOfTenant);
  }

  /**
   * Undefined: the token is not from this issuer for us, has expired, or is valid for too long. Throws
   * `issuerUnavailable`.
   */
  async verify(
    space: TenantReference,
    issuer: TokenIssuer,
    { text }: ReadToken,
  ): Promise<OutsideGrant | undefined> {
    const jose = await loadJose();
    try {
      const { payload } = await jose.jwtVerify(text, await this.parts.keys.of(space, issuer.jwksUrl), {
        algorithms: ALGORITHMS,
        issuer: issuer.issuer,
        audience: issuer.audience,
        clockTolerance: CLOCK_SECONDS,
        requiredClaims: ['exp'],
      });
      const { exp = 0, iat } = payload;
      const now = Date.now() / 1000;
      if (exp - Math.min(iat ?? now, now) > this.parts.longestSeconds + CLOCK_SECONDS) return undefined;
      const claimed = toWords(payload[issuer.scopeClaim]);
      const { scopeMap } = issuer;
      const user = payload[issuer.userClaim];
      const patient = payload[issuer.patientClaim];
      return {
        client: issuer.client,
        expires: exp,
        scopes:
          scopeMap === null ? claimed : [...new Set(claimed.flatMap((word) => ownMember(scopeMap, word)))],
        ...(typeof user === 'string' ? { user } : {}),
        ...(typeof patient === 'string' && isValidId(patient) ? { patient } : {}),
      };
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** Throws `invalidValue`, `lastAdministrator`. */
  async put(space: AdministeredTenant, given: NewIssuer): Promise<void> {
    const issuer: TokenIssuer = {
      issuer: given.issuer,
      client: given.client,
      release: given.release ?? 'r4',
      audience: given.audience,
      jwksUrl: given.jwksUrl,
      scopeClaim: given.scopeClaim ?? 'scope',
      scopeMap: given.scopeMap ?? null,
      userClaim: given.userClaim ?? 'fhirUser',
      patientClaim: given.patientClaim ?? 'patient',
    };
    const texts = [issuer.issuer, issuer.audience, issuer.scopeClaim, issuer.userClaim, issuer.patientClaim];
    if (texts.some((text) => text === '' || text.length > MAX_TEXT))
      refuse('An issuer must have a name (the iss of its tokens), an audience, and claims with names');
    if (![...texts, ...Object.keys(issuer.scopeMap ?? {})].every(isShownName))
      refuse(`The names and values of an issuer must be written ${SHOWN_NAME_EXPECTED}`);
    const fault = this.parts.destinations.findFault(issuer.jwksUrl);
    if (fault !== undefined) refuse(`The address of an issuer’s keys is not allowed: ${fault}`);
    if (!(await this.parts.store.put(space, issuer)))
      refuse(`The client '${issuer.client.slice(0, 64)}' does not exist`);
    this.invalidate();
  }

  /** False: there is no issuer of this name. Throws `lastAdministrator`. */
  async remove(space: AdministeredTenant, issuer: string): Promise<boolean> {
    const removed = await this.parts.store.remove(space, issuer);
    this.invalidate();
    return removed;
  }

  /** Sets `r4` for issuers of all tenants that had no release, and returns them. Cost: an owner connection. */
  nameReleases(): ReturnType<IssuerStore['nameReleases']> {
    return this.parts.store.nameReleases();
  }

  list(space: TenantReference): Promise<readonly TokenIssuer[]> {
    return this.parts.store.list(space);
  }

  /** Invalidates the cache after a change of a tenant. */
  invalidate(): void {
    this.#recent.invalidate();
  }
}

function ownMember(map: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  return Object.hasOwn(map, name) ? (map[name] ?? []) : [];
}

function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}
