/** Access: callers, clients, issuers, policies and tokens of tenants. */
import { type PolicyDefinition } from './policy';
import { ANONYMOUS, type Access, type TenantSpace } from '../context';
import type { SignInTrail } from './sign-in';

import type { Release } from '../fhir/release';
import type { ClientDetails } from '../storage/accounts/client-applications';
import type { TokenIssuer } from '../storage/accounts/token-issuers';
import type { VersionGuard } from './version';

/** The caller of a request, as part of its context. */
export interface Caller {
  /** As `RequestContext.actor`. */
  readonly actor: string;
  /** As `RequestContext.access`. */
  readonly access?: Access;
}

export const ANONYMOUS_CALLER: Caller = Object.freeze({ actor: ANONYMOUS });

/** A request that is answered with an error. */
export interface RefusedRequest {
  readonly tenant: string;
  readonly release: Release;
  /** Undefined: the request was refused before the caller was identified. */
  readonly caller: Caller | undefined;
  /** True for a method that may change something. */
  readonly mayChange: boolean;
  /** The `Authorization` header. */
  readonly authorization: string | undefined;
  /** As `Credentials.address`. */
  readonly address: string;
  readonly requestId: string;
  readonly requestLine: string;
}

/** A request of an identified caller to an address of administrators. */
export interface AdministrationRequest {
  /** The tenant whose administrator the caller is; it has the record. */
  readonly tenant: string;
  readonly caller: Caller;
  /** Method and address. */
  readonly requestLine: string;
  readonly mayChange: boolean;
  readonly address: string;
  readonly requestId: string;
}

/** A program that may access a tenant's data, as administrators see it. */
export interface ClientApplication extends ClientDetails {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** The secrets themselves are never shown again. */
  readonly secrets: readonly { readonly id: string; readonly created: number; readonly expires?: number }[];
  /** Sentences about scopes that grant nothing, and policies that do not exist. */
  readonly warnings: readonly string[];
}

/** An undefined property stays unchanged. */
export type ClientChanges = Partial<ClientDetails>;

/** A new secret, which is shown only once. */
export interface NewSecret {
  readonly id: string;
  readonly secret: string;
  /** Milliseconds since 1970; undefined: it does not expire. */
  readonly expires?: number;
}

/**
 * The ClientApplications of tenants. All functions throw `unknownTenant`; changes take effect in every process within
 * 2 s.
 */
export interface Clients {
  list(tenant: string): Promise<readonly ClientApplication[]>;
  find(tenant: string, id: string): Promise<ClientApplication | undefined>;
  /** Creates a client without a secret. Throws `invalidValue`. */
  create(tenant: string, details: ClientChanges): Promise<ClientApplication>;
  /**
   * Creates a client and its first secret, both or neither. `expires`: milliseconds since 1970. Throws
   * `invalidValue`.
   */
  createWithSecret(
    tenant: string,
    details: ClientChanges,
    expires?: number,
  ): Promise<{ readonly client: ClientApplication; readonly secret: NewSecret }>;
  /** Undefined: there is no such client. Throws `invalidValue`. */
  change(tenant: string, id: string, changes: ClientChanges): Promise<ClientApplication | undefined>;
  /** `expires`: milliseconds since 1970. Undefined: there is no such client. Throws `invalidValue`. */
  addSecret(tenant: string, id: string, expires?: number): Promise<NewSecret | undefined>;
  /** `secret`: its id. False: there is no such secret. */
  removeSecret(tenant: string, id: string, secret: string): Promise<boolean>;
}

/** An external issuer. Defaults: the release `r4`, the claims `scope`, `fhirUser` and `patient`, and no scope map. */
export type NewIssuer = Pick<TokenIssuer, 'issuer' | 'client' | 'audience' | 'jwksUrl'> & {
  readonly [Name in 'release' | 'scopeClaim' | 'scopeMap' | 'userClaim' | 'patientClaim']?:
    TokenIssuer[Name] | undefined;
};

/**
 * External issuers whose tokens a tenant accepts. All functions throw `unknownTenant`; changes take effect in every
 * process within 2 s.
 */
export interface Issuers {
  list(tenant: string): Promise<readonly TokenIssuer[]>;
  /** Creates the issuer, or changes the existing one of this name. Throws `invalidValue`. */
  put(tenant: string, issuer: NewIssuer): Promise<void>;
  /** False: there is no issuer of this name. */
  remove(tenant: string, issuer: string): Promise<boolean>;
}

/**
 * The policies of tenants by name. All functions throw `unknownTenant`; changes take effect in every process
 * within 2 s.
 */
export interface Policies {
  list(tenant: string): Promise<Readonly<Record<string, PolicyDefinition>>>;
  find(tenant: string, name: string): Promise<StoredPolicy | undefined>;
  /**
   * Throws `invalidValue` for a definition that is not valid in the tenant's releases (its position is in
   * `expression`), `preconditionFailed` (the guard compares tags) and `tooCostly`.
   */
  put(
    tenant: string,
    name: string,
    definition: unknown,
    guard?: VersionGuard,
  ): Promise<StoredPolicy & { readonly created: boolean }>;
  /** Returns the definition as `put` would store it, and stores nothing. Throws as `put`. */
  check(tenant: string, name: string, definition: unknown): Promise<PolicyDefinition>;
  /** False: there is no such policy. Throws `preconditionFailed`. */
  delete(tenant: string, name: string, guard?: VersionGuard): Promise<boolean>;
}

/** A policy with a tag that changes whenever the definition changes. */
export interface StoredPolicy {
  readonly definition: PolicyDefinition;
  readonly tag: string;
}

/** A request of a client for a token. */
export interface TokenRequest {
  readonly space: TenantSpace;
  /** The `{base_url}` that the client used. */
  readonly base: string;
  /** Parameters of the form, each once. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly authorization: string | undefined;
  /** As `Credentials.address`. */
  readonly address: string;
  readonly requestId?: string;
  /** Internal to core: the subject for the audit record. */
  readonly trail?: SignInTrail;
}

/** Members as in RFC 6749, section 5.1, SMART App Launch 2 and OpenID Connect. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
  readonly scope: string;
  /** This and the following members only after a person has signed in: ids of the Patient and Encounter in context. */
  readonly patient?: string;
  readonly encounter?: string;
  /** This and the next one only after a launch from an EHR. */
  readonly need_patient_banner?: boolean;
  readonly smart_style_url?: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

/** Members as in RFC 7662, section 2.2. */
export type IntrospectionAnswer =
  | { readonly active: false }
  | {
      readonly active: true;
      readonly client_id: string;
      readonly scope: string;
      /** Seconds since 1970. */
      readonly exp: number;
      readonly token_type: 'Bearer';
      /** Issuer and subject, as in the ID token. */
      readonly iss: string;
      readonly sub?: string;
      /** Absolute address of the user, as in the ID token. */
      readonly fhirUser?: string;
      readonly encounter?: string;
      readonly patient?: string;
    };

/** Tokens of tenants and their signing keys. */
export interface Tokens {
  /** Throws OAuthError, `tooManyRequests`. */
  grant(request: TokenRequest): Promise<TokenAnswer>;
  /** Ends the grant of the token in the form (RFC 7009). Throws OAuthError, `tooManyRequests`. */
  revoke(request: TokenRequest): Promise<void>;
  /** Tells whether the token in the form, one of the client's own, is valid (RFC 7662). Throws as `revoke`. */
  introspect(request: TokenRequest): Promise<IntrospectionAnswer>;
  /** Returns JSON Web Keys; the first call creates the tenant's first keys. Throws `unknownTenant`. */
  publicKeys(tenant: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * Creates new signing keys, one for each algorithm, and returns their ids. `revokes`: tokens that older keys have
   * signed become invalid. Throws `unknownTenant`.
   */
  rotateKeys(tenant: string, revokes: boolean): Promise<readonly string[]>;
}
