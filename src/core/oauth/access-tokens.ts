/** Access tokens of a tenant: JWTs after RFC 9068, signed with the tenant's key. */
import { randomUUID } from 'node:crypto';
import { isRelease, type Release } from '../fhir/release';
import type { IdTokenAlgorithm, TenantReference } from '../storage/accounts/client-applications';
import type { UserGrant } from '../storage/accounts/user-grants';
import { loadJose } from './jose';
import type { ReadToken } from './read-token';
import { ACCESS_ALGORITHM, type SigningKeys } from './signing-keys';
import { toIssuer, toRoot, type TenantAddress } from '../api/tenant-address';

/** `typ` of the header; it excludes other kinds of tokens that the same key has signed. */
const TYPE = 'at+jwt';
const ID_TOKEN_TYPE = 'JWT';

const toAudience = ({ base, tenant }: TenantAddress): string => `${base}/w/${tenant}`;

/** The content of a token. */
export interface Grant {
  readonly client: string;
  readonly scopes: readonly string[];
  /** Reference to the user of the client, as in the token. */
  readonly user?: string;
  /** Id of the Patient in context. */
  readonly patient?: string;
  /** Id of the Encounter in context. */
  readonly encounter?: string;
  /** Release of the token's data, because ids of people belong to one release. Undefined: both. */
  readonly release?: Release;
  /** Id of the user's consent; undefined: the token belongs to the client itself. */
  readonly grant?: string;
  /** Id of the user's account. */
  readonly subject?: string;
}

export interface VerifiedGrant extends Grant {
  /** `kid` of the signing key. */
  readonly key: string;
  /** Seconds since 1970. */
  readonly expires: number;
  /** The issuer of the tenant, with the base that the client used. */
  readonly issuedBy: string;
}

/** The subject of an ID token. */
interface IdTokenSubject {
  readonly grant: UserGrant;
  readonly scopes: readonly string[];
  readonly name: string;
  readonly algorithm: IdTokenAlgorithm;
  /** Claims that only the console gets. */
  readonly account?: ConsoleAccount;
}

/** What an account is in its tenant. */
interface ConsoleAccount {
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
  /** The tenant's name for people. */
  readonly tenant: string;
}

export class AccessTokens {
  constructor(
    private readonly keys: SigningKeys,
    /** Public URLs of the server; empty: tokens may name any base, because each tenant has its own keys. */
    private readonly publicUrls: readonly string[],
  ) {}

  /** `seconds`: lifetime of the token. */
  async issue(
    space: TenantReference,
    address: TenantAddress,
    grant: Grant,
    seconds: number,
  ): Promise<string> {
    const jose = await loadJose();
    const { id, key } = await this.keys.signer(space, ACCESS_ALGORITHM);
    const { client, scopes, user, patient, encounter, release, grant: consent, subject } = grant;
    const now = Math.floor(Date.now() / 1000);
    return new jose.SignJWT({
      client_id: client,
      scope: scopes.join(' '),
      ...(user === undefined ? {} : { fhirUser: user }),
      ...(patient === undefined ? {} : { patient }),
      ...(encounter === undefined ? {} : { encounter }),
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

  /** Issues an ID token about the user for the client (OpenID Connect Core 1.0, section 2; SMART's fhirUser). */
  async issueIdToken(
    space: TenantReference,
    address: TenantAddress,
    about: IdTokenSubject,
    seconds: number,
  ): Promise<string> {
    const jose = await loadJose();
    const { grant, scopes, name, algorithm, account } = about;
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
      ...(account === undefined
        ? {}
        : {
            tenant_name: account.tenant,
            administrator: account.isAdministrator,
            auditor: account.isAuditor,
          }),
    })
      .setProtectedHeader({ alg: algorithm, typ: ID_TOKEN_TYPE, kid: id })
      .setIssuer(toIssuer(address))
      .setAudience(grant.client)
      .setSubject(grant.account)
      .setIssuedAt(now)
      .setExpirationTime(now + seconds)
      .sign(key);
  }

  /** Returns the client and account of an ID token, also of an expired one. Undefined: this tenant has not issued it. */
  async verifyIdToken(
    space: TenantReference,
    tenant: string,
    { text, header }: ReadToken,
  ): Promise<{ readonly client: string; readonly subject: string } | undefined> {
    const key = await this.keys.find(space, header['kid']);
    if (key === undefined) return undefined;
    const jose = await loadJose();
    try {
      const { payload } = await jose.jwtVerify(text, await this.keys.toUsable(key), {
        algorithms: [key.algorithm],
        typ: ID_TOKEN_TYPE,
        requiredClaims: ['iss', 'aud', 'sub'],
        // It names a person who has signed in before.
        currentDate: new Date(0),
      });
      const { iss = '', aud, sub } = payload;
      if (typeof aud !== 'string' || sub === undefined || !this.isOwn(tenant, iss)) return undefined;
      return { client: aud, subject: sub };
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** True: a token with this `iss` claims to be from the tenant. */
  isOwn(tenant: string, issuer: string): boolean {
    return this.#isAddress(issuer, `/w/${tenant}/oidc`);
  }

  /** Undefined: the token is expired, or this tenant has not issued it for itself. */
  async verify(
    space: TenantReference,
    tenant: string,
    { text: token, header }: ReadToken,
  ): Promise<VerifiedGrant | undefined> {
    const key = await this.keys.find(space, header['kid']);
    if (key?.algorithm !== ACCESS_ALGORITHM) return undefined;
    const jose = await loadJose();
    try {
      const { payload } = await jose.jwtVerify(token, await this.keys.toUsable(key), {
        algorithms: [key.algorithm],
        typ: TYPE,
        requiredClaims: ['iss', 'aud', 'exp', 'sub', 'client_id'],
      });
      const {
        iss,
        aud,
        exp,
        sub,
        client_id: client,
        scope,
        fhirUser: user,
        patient,
        encounter,
        grant,
      } = payload;
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
        key: key.id,
        expires: exp,
        issuedBy: iss,
        scopes: toWords(scope),
        ...(typeof user === 'string' ? { user } : {}),
        ...(typeof patient === 'string' ? { patient } : {}),
        ...(typeof encounter === 'string' ? { encounter } : {}),
        ...(sub === undefined ? {} : { subject: sub }),
        ...(typeof grant === 'string' ? { grant } : {}),
        ...(release === undefined ? {} : { release }),
      };
    } catch (error) {
      if (error instanceof jose.errors.JOSEError) return undefined;
      throw error;
    }
  }

  /** Undefined: the audience does not name the data of a release. */
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

/** Returns the words of a claim, which is a text of words or an array of them. */
export function toWords(claim: unknown): string[] {
  if (typeof claim === 'string') return claim.split(' ').filter((word) => word !== '');
  return Array.isArray(claim) ? claim.filter((word): word is string => typeof word === 'string') : [];
}
