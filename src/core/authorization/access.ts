/** The authenticated caller. Undefined in RequestContext: unrestricted (open mode, the server's own work). */
export interface Access {
  /** Id of the ClientApplication, also `RequestContext.actor`. */
  readonly client: string;
  /** The user of the client as a relative reference (`Practitioner/1`), where the token has a valid one. */
  readonly user?: string;
  /** Ids of the Patients whose records the user, a RelatedPerson or Person, may access now; undefined: none. */
  readonly userPatients?: readonly string[];
  /** Id of the Patient in context, to whose record `patient/` scopes apply. */
  readonly patient?: string;
  /** Name of the external issuer of the token; undefined: the tenant issued it. */
  readonly issuer?: string;
  /** Id of the user's grant to the client; access ends with it. Undefined: the client needs no grant. */
  readonly grant?: string;
  /** Id of the user's account; undefined: the client has no grant. */
  readonly account?: string;
  /** SMART scopes of the token (v1, v2) as text; scope.ts parses and caches them. */
  readonly scopes: readonly string[];
  /** Names of the tenant's policies that restrict the scopes further; empty: scopes alone decide. */
  readonly policies: readonly string[];
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
}
