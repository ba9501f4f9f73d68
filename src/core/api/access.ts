/** Who may ask: callers, clients, issuers, policies and tokens of tenants. */
import type { Access } from '../authorization/access';
import type { SignInTrail } from '../audit/sign-in-trail';
import type { PolicyDefinition } from '../authorization/policy';
import type { TenantSpace } from '../context';
import type { Release } from '../fhir/release';
import type { ClientDetails } from '../storage/accounts/client-applications';
import type { TokenIssuer } from '../storage/accounts/token-issuers';
import type { VersionGuard } from './version';

/** Who asks: what a request's context has of it. */
export interface Caller {
  /** As `RequestContext.actor`. */
  readonly actor: string;
  /** As `RequestContext.access`. */
  readonly access?: Access;
}

/** A request that is answered with an error, as it came. */
export interface RefusedRequest {
  readonly tenant: string;
  readonly release: Release;
  /** Undefined: it was refused before anybody asked for it. */
  readonly caller: Caller | undefined;
  /** Whether its method is one that may change something. */
  readonly mayChange: boolean;
  /** The header of this name. */
  readonly authorization: string | undefined;
  /** As those of `Credentials`. */
  readonly address: string;
  readonly requestId: string;
  readonly asked: string;
}

/** A request to an address of administrators, of whom is known who they are. */
export interface AdministrationRequest {
  readonly caller: Caller;
  /** Method and address. */
  readonly asked: string;
  readonly mayChange: boolean;
  readonly address: string;
  readonly requestId: string;
}

/** A program that may ask for a tenant's data, as administrators see it. */
export interface ClientApplication extends ClientDetails {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** None of them is ever shown again. */
  readonly secrets: readonly { readonly id: string; readonly created: number; readonly expires?: number }[];
}

/** Undefined: as it is. */
export type ClientChanges = Partial<ClientDetails>;

/** A secret on the one occasion that it is told. */
export interface NewSecret {
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since 1970; undefined: it does not. */
  readonly expires?: number;
}

/** The ClientApplications of tenants. All throw `unknownTenant`; what they change is in force in every process within 2 s. */
export interface Clients {
  list(tenant: string): Promise<readonly ClientApplication[]>;
  find(tenant: string, id: string): Promise<ClientApplication | undefined>;
  /** A client without a secret. Throws `invalidValue`. */
  create(tenant: string, details: ClientChanges): Promise<ClientApplication>;
  /** With its first secret: both are there, or neither. `expires`: milliseconds since 1970. Throws `invalidValue`. */
  createWithSecret(
    tenant: string,
    details: ClientChanges,
    expires?: number,
  ): Promise<{ readonly client: ClientApplication; readonly secret: NewSecret }>;
  /** Undefined when there is no such client. Throws `invalidValue`. */
  change(tenant: string, id: string, changes: ClientChanges): Promise<ClientApplication | undefined>;
  /** `expires`: milliseconds since 1970. Undefined when there is no such client. Throws `invalidValue`. */
  addSecret(tenant: string, id: string, expires?: number): Promise<NewSecret | undefined>;
  /** `secret`: its id. False when there is no such secret. */
  removeSecret(tenant: string, id: string, secret: string): Promise<boolean>;
}

/** The defaults of an issuer elsewhere: the release `r4`, the claims `scope`, `fhirUser` and `patient`, and no map. */
export type NewIssuer = Pick<TokenIssuer, 'issuer' | 'client' | 'audience' | 'jwksUrl'> & {
  readonly [Name in 'release' | 'scopeClaim' | 'scopeMap' | 'userClaim' | 'patientClaim']?:
    TokenIssuer[Name] | undefined;
};

/** Issuers elsewhere whose tokens a tenant takes. All throw `unknownTenant`; in force in every process within 2 s. */
export interface Issuers {
  list(tenant: string): Promise<readonly TokenIssuer[]>;
  /** Makes one, or changes the one of this name. Throws `invalidValue`. */
  put(tenant: string, issuer: NewIssuer): Promise<void>;
  /** False when there is none of this name. */
  remove(tenant: string, issuer: string): Promise<boolean>;
}

/** The policies of tenants by their names. All throw `unknownTenant`; what they change is in force in every process within 2 s. */
export interface Policies {
  list(tenant: string): Promise<Readonly<Record<string, PolicyDefinition>>>;
  find(tenant: string, name: string): Promise<StoredPolicy | undefined>;
  /**
   * Throws `invalidValue` for what is no policy of the tenant's releases (the place in `expression`), `preconditionFailed`
   * (the guard is about tags), tooCostly.
   */
  put(
    tenant: string,
    name: string,
    definition: unknown,
    guard?: VersionGuard,
  ): Promise<StoredPolicy & { readonly created: boolean }>;
  /** False when there is no such policy. Throws `preconditionFailed`. */
  delete(tenant: string, name: string, guard?: VersionGuard): Promise<boolean>;
}

/** A policy with a tag that is another one whenever it says something else. */
export interface StoredPolicy {
  readonly definition: PolicyDefinition;
  readonly tag: string;
}

/** What a client sends to get a token. */
export interface TokenRequest {
  readonly space: TenantSpace;
  /** `{base_url}`, under which the client came. */
  readonly base: string;
  /** Of the form, each once. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly authorization: string | undefined;
  /** As `Credentials.address`. */
  readonly address: string;
  readonly requestId?: string;
  /** Core's own: who it is about, for the record. */
  readonly trail?: SignInTrail;
}

/** The members are those of RFC 6749, section 5.1, of SMART App Launch 2 and of OpenID Connect. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  /** Of what follows, where somebody has signed in: ids of the Patient and Encounter in context. */
  readonly patient?: string;
  readonly encounter?: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

/** The members are those of RFC 7662, section 2.2. */
export type IntrospectionAnswer =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly client_id: string;
      readonly scope: string;
      /** Seconds since 1970. */
      readonly exp: number;
      readonly token_type: 'Bearer';
      readonly fhirUser?: string;
      readonly patient?: string;
    };

/** Tokens of tenants and what they are signed with. */
export interface Tokens {
  /** Throws OAuthError, `tooManyRequests`. */
  grant(request: TokenRequest): Promise<TokenAnswer>;
  /** What the token in the form was given for is over (RFC 7009). Throws OAuthError, `tooManyRequests`. */
  revoke(request: TokenRequest): Promise<void>;
  /** Whether the token in the form, one of the client's own, is good (RFC 7662). Throws as `revoke`. */
  introspect(request: TokenRequest): Promise<IntrospectionAnswer>;
  /** JSON Web Keys; the first ones of a tenant are made by this. Throws `unknownTenant`. */
  publicKeys(tenant: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * New keys sign from now on, one for each algorithm; their ids. `revokes`: what the others have signed is good no more.
   * Throws `unknownTenant`.
   */
  rotateKeys(tenant: string, revokes: boolean): Promise<readonly string[]>;
}
