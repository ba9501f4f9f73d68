/** Tokens that a tenant gives to its clients: JWTs after RFC 9068, signed with the tenant's key. */
import { randomUUID } from 'node:crypto';
import { isRelease, type Release } from '../fhir/release';
import type { IdTokenAlgorithm, OfTenant } from '../storage/accounts/client-applications';
import type { UserGrant } from '../storage/accounts/user-grants';
import { loadJose } from './jose';
import type { ReadToken } from './read-token';
import { ACCESS_ALGORITHM, type SigningKeys } from './signing-keys';
import { toIssuer, toRoot, type TenantAddress } from './tenant-address';

/** `typ` of the header: no token of another kind that the same key has signed is taken for one of these. */
const TYPE = 'at+jwt';

const toAudience = ({ base, tenant }: TenantAddress): string => `${base}/w/${tenant}`;

/** What a token says. */
export interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  /** Reference to who sits before the client, as it stands in the token. */
  readonly user?: string;
  /** Id of the Patient in context. */
  readonly patient?: string;
  /** Of whose data it is: ids of people are of one release. Undefined: of both. */
  readonly release?: Release;
  /** Id of the consent that it was given for; undefined: it is the client's own. */
  readonly grant?: string;
  /** Id of the account of who has signed in. */
  readonly subject?: string;
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
    const { id, key } = await this.keys.signer(space, ACCESS_ALGORITHM);
    const { client, scopes, user, patient, release, grant: consent, subject } = grant;
    const now = Math.floor(Date.now() / 1000);
    return new jose.SignJWT({
      client_id: client,
      scope: scopes.join(' '),
      ...(user === undefined ? {} : { fhirUser: user }),
      ...(patient === undefined ? {} : { patient }),
      ...(consent === undefined ? {} : { grant: consent }),
    })
      .setProtectedHeader({ alg: ACCESS_ALGORITHM, typ: TYPE, kid: id })
      .setIssuer(toIssuer(address))
      .setAudience(release === undefined ? toAudience(address) : toRoot(address, release))
      .setSubject(subject ?? client)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(key);
  }

  /** Who has signed in (OpenID Connect Core 1.0, section 2; SMART's fhirUser), for the client alone. */
  async issueIdToken(
    space: OfTenant,
    address: TenantAddress,
    about: {
      readonly grant: UserGrant;
      readonly scopes: readonly string[];
      readonly name: string;
      readonly algorithm: IdTokenAlgorithm;
    },
    seconds: number,
  ): Promise<string> {
    const jose = await loadJose();
    const { grant, scopes, name, algorithm } = about;
    const { id, key } = await this.keys.signer(space, algorithm);
    const now = Math.floor(Date.now() / 1000);
    const person =
      grant.fhirUser === null ? undefined : `${toRoot(address, grant.release)}/${grant.fhirUser}`;
    const hasProfile = scopes.includes('profile');
    return new jose.SignJWT({
      auth_time: Math.floor(grant.signedIn / 1000),
      ...(grant.nonce === null ? {} : { nonce: grant.nonce }),
      ...(person !== undefined && scopes.includes('fhirUser') ? { fhirUser: person } : {}),
      ...(hasProfile ? { name } : {}),
      ...(person !== undefined && hasProfile ? { profile: person } : {}),
    })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', kid: id })
      .setIssuer(toIssuer(address))
      .setAudience(grant.client)
      .setSubject(grant.account)
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
    if (known?.algorithm !== ACCESS_ALGORITHM) return undefined;
    const jose = await loadJose();
    try {
      const { payload } = await jose.jwtVerify(token, await this.keys.toUsable(known), {
        algorithms: [known.algorithm],
        typ: TYPE,
        requiredClaims: ['iss', 'aud', 'exp', 'sub', 'client_id'],
      });
      const { iss, aud, exp, client_id: client, scope, fhirUser: user, patient, grant } = payload;
      const audiences = typeof aud === 'string' ? [aud] : (aud ?? []);
      const release = audiences
        .map((audience) => this.#releaseOf(audience, tenant))
        .find((one) => one !== undefined);
      const isForUs =
        release !== undefined || audiences.some((audience) => this.#isAddress(audience, `/w/${tenant}`));
      if (iss === undefined || exp === undefined || typeof client !== 'string') return undefined;
      if (!isForUs || !this.isOwn(tenant, iss)) return undefined;
      return {
        client,
        key: known.id,
        expires: exp,
        scopes: toWords(scope),
        ...(typeof user === 'string' ? { user } : {}),
        ...(typeof patient === 'string' ? { patient } : {}),
        ...(typeof grant === 'string' ? { grant } : {}),
        ...(release === undefined ? {} : { release }),
      };
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** Undefined: the audience is not the data of a release. */
  #releaseOf(audience: string, tenant: string): Release | undefined {
    const release = audience.slice(audience.lastIndexOf('/') + 1);
    return isRelease(release) && this.#isAddress(audience, `/w/${tenant}/api/v1/fhir/${release}`)
      ? release
      : undefined;
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
