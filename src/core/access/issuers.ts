/** Tokens that others have given out: a hospital's identity provider. */
import type { NewIssuer } from '../api';
import { fhirError } from '../errors';
import type { OfTenant } from '../storage/client-applications';
import type { IssuerStore, TokenIssuer } from '../storage/token-issuers';
import { toWords, type Grant } from './access-tokens';
import { isSafeAddress } from './client-details';
import { loadJose } from './jose';
import type { ReadToken } from './read-token';
import { Recent } from './recent';
import { RemoteKeys } from './remote-keys';

/** Never `none`, and nothing that is signed with a shared secret. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** For clocks that differ. */
const CLOCK_SECONDS = 30;
const REFERENCE = /^(?:.*\/)?([A-Z][A-Za-z]+\/[A-Za-z0-9\-.]{1,64})$/;
const ID = /^[A-Za-z0-9\-.]{1,64}$/;
const MAX_TEXT = 500;

interface Issuers {
  readonly list: readonly TokenIssuer[];
}

export interface OutsideGrant extends Grant {
  /** Seconds since 1970. */
  readonly expires: number;
}

export class OutsideIssuers {
  readonly #recent = new Recent<Issuers>(1_000);
  readonly #keys = new RemoteKeys();

  constructor(private readonly store: IssuerStore) {}

  /** As `Recent.changes`. */
  get changes(): number {
    return this.#recent.changes;
  }

  /** Undefined: the tenant takes nothing from there. */
  find(space: OfTenant, issuer: string): TokenIssuer | undefined | Promise<TokenIssuer | undefined> {
    const load = async (): Promise<Issuers> => ({ list: await this.store.list(space) });
    const known = this.#recent.get(String(space.tenantNumber), load);
    const pick = (issuers: Issuers | undefined): TokenIssuer | undefined =>
      issuers?.list.find((each) => each.issuer === issuer);
    return known instanceof Promise ? known.then(pick) : pick(known);
  }

  /** Undefined: it is not a token that they have given out for us, or one that has expired. Throws `issuerUnavailable`. */
  async verify(issuer: TokenIssuer, { text }: ReadToken): Promise<OutsideGrant | undefined> {
    const jose = await loadJose();
    try {
      const { payload } = await jose.jwtVerify(text, await this.#keys.of(issuer.jwksUrl), {
        algorithms: ALGORITHMS,
        issuer: issuer.issuer,
        audience: issuer.audience,
        clockTolerance: CLOCK_SECONDS,
        requiredClaims: ['exp'],
      });
      const said = toWords(payload[issuer.scopeClaim]);
      const { scopeMap } = issuer;
      const user = payload[issuer.userClaim];
      const patient = payload[issuer.patientClaim];
      const [, reference] = (typeof user === 'string' ? REFERENCE.exec(user) : null) ?? [];
      return {
        client: issuer.client,
        expires: payload.exp ?? 0,
        scopes: scopeMap === null ? said : [...new Set(said.flatMap((word) => ownMember(scopeMap, word)))],
        ...(reference === undefined ? {} : { user: reference }),
        ...(typeof patient === 'string' && ID.test(patient) ? { patient } : {}),
      };
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** Throws `invalidValue`. */
  async put(space: OfTenant, given: NewIssuer): Promise<void> {
    const issuer: TokenIssuer = {
      issuer: given.issuer,
      client: given.client,
      audience: given.audience,
      jwksUrl: given.jwksUrl,
      scopeClaim: given.scopeClaim ?? 'scope',
      scopeMap: given.scopeMap ?? null,
      userClaim: given.userClaim ?? 'fhirUser',
      patientClaim: given.patientClaim ?? 'patient',
    };
    const texts = [issuer.issuer, issuer.audience, issuer.scopeClaim, issuer.userClaim, issuer.patientClaim];
    if (texts.some((text) => text === '' || text.length > MAX_TEXT))
      refuse('An issuer has a name (the iss of its tokens), an audience, and claims with names');
    if (!isSafeAddress(issuer.jwksUrl)) refuse('The address of an issuer’s keys begins with https://');
    if (!(await this.store.put(space, issuer))) refuse(`There is no client '${issuer.client.slice(0, 64)}'`);
    this.forget();
  }

  /** False when there is none of this name. */
  async remove(space: OfTenant, issuer: string): Promise<boolean> {
    const removed = await this.store.remove(space, issuer);
    this.forget();
    return removed;
  }

  list(space: OfTenant): Promise<readonly TokenIssuer[]> {
    return this.store.list(space);
  }

  /** Something of a tenant was changed. */
  forget(): void {
    this.#recent.forget();
  }
}

function ownMember(map: Readonly<Record<string, readonly string[]>>, name: string): readonly string[] {
  return Object.hasOwn(map, name) ? (map[name] ?? []) : [];
}

function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}
