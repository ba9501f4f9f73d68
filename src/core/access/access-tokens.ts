/** Tokens that a tenant gives to its clients: JWTs after RFC 9068, signed with the tenant's key. */
import { randomUUID } from 'node:crypto';
import type { OfTenant } from '../storage/client-applications';
import { loadJose } from './jose';
import type { ReadToken } from './read-token';
import { SIGNING_ALGORITHM, type SigningKeys } from './signing-keys';

/** `typ` of the header: no token of another kind that the same key has signed is taken for one of these. */
const TYPE = 'at+jwt';

/** The addresses by which tokens name the tenant: `{base_url}/w/{tenant}/oidc` and `{base_url}/w/{tenant}`. */
export interface TenantAddress {
  /** `{base_url}`, without a slash at its end. */
  readonly base: string;
  readonly tenant: string;
}

export const toIssuer = ({ base, tenant }: TenantAddress): string => `${base}/w/${tenant}/oidc`;
const toAudience = ({ base, tenant }: TenantAddress): string => `${base}/w/${tenant}`;

/** What a token says. */
export interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  /** Relative reference to who sits before the client. */
  readonly user?: string;
  /** Id of the Patient in context. */
  readonly patient?: string;
}

export interface VerifiedGrant extends Grant {
  /** `kid` of the key that has signed it. */
  readonly key: string;
  /** Seconds since 1970. */
  readonly expires: number;
}

export class AccessTokens {
  constructor(
    private readonly keys: SigningKeys,
    /** Those of the server; empty: tokens may name any, because each tenant has keys of its own. */
    private readonly publicUrls: readonly string[],
  ) {}

  /** `seconds`: how long it is good. */
  async issue(space: OfTenant, address: TenantAddress, grant: Grant, seconds: number): Promise<string> {
    const jose = await loadJose();
    const { id, key } = await this.keys.signer(space);
    const { client, scopes, user, patient } = grant;
    const now = Math.floor(Date.now() / 1000);
    return new jose.SignJWT({
      client_id: client,
      scope: scopes.join(' '),
      ...(user === undefined ? {} : { fhirUser: user }),
      ...(patient === undefined ? {} : { patient }),
    })
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: TYPE, kid: id })
      .setIssuer(toIssuer(address))
      .setAudience(toAudience(address))
      .setSubject(client)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(key);
  }

  /** Whether a token with this `iss` claims to be of the tenant. */
  isOwn(tenant: string, issuer: string): boolean {
    return this.#isAddress(issuer, `/w/${tenant}/oidc`);
  }

  /** Undefined: it is not a token that this tenant has given out for itself, or one that has expired. */
  async verify(
    space: OfTenant,
    tenant: string,
    { text: token, header }: ReadToken,
  ): Promise<VerifiedGrant | undefined> {
    const known = await this.keys.find(space, header['kid']);
    if (known === undefined) return undefined;
    const jose = await loadJose();
    try {
      const { payload } = await jose.jwtVerify(token, await this.keys.toUsable(known), {
        algorithms: [known.algorithm],
        typ: TYPE,
        requiredClaims: ['iss', 'aud', 'exp', 'sub', 'client_id'],
      });
      const { iss, aud, exp, client_id: client, scope, fhirUser: user, patient } = payload;
      const audiences = typeof aud === 'string' ? [aud] : (aud ?? []);
      const isForUs = audiences.some((audience) => this.#isAddress(audience, `/w/${tenant}`));
      if (iss === undefined || exp === undefined || typeof client !== 'string') return undefined;
      if (!isForUs || !this.isOwn(tenant, iss)) return undefined;
      return {
        client,
        key: known.id,
        expires: exp,
        scopes: toWords(scope),
        ...(typeof user === 'string' ? { user } : {}),
        ...(typeof patient === 'string' ? { patient } : {}),
      };
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  #isAddress(address: string, path: string): boolean {
    if (this.publicUrls.length > 0) return this.publicUrls.some((base) => address === base + path);
    return address.endsWith(path);
  }
}

/** The words of a claim: a text of words, or a list of them. */
export function toWords(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((word): word is string => typeof word === 'string') : [];
}
