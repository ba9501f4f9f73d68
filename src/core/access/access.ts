/** What is known of who asks. Undefined in RequestContext: nothing is restricted (open mode, the server's own work). */
export interface Access {
  /** Id of the ClientApplication, also `RequestContext.actor`. */
  readonly client: string;
  /** Who sits before the client, as a relative reference (`Practitioner/1`), where the token says so. */
  readonly user?: string;
  /** Id of the Patient in context: what `patient/` scopes are about. */
  readonly patient?: string;
  /** Name of the issuer elsewhere whose token it is; undefined: it is of the tenant's own. */
  readonly issuer?: string;
  /** Id of what a person has allowed to the client, which all of this ends with; undefined: nobody had to. */
  readonly grant?: string;
  /** SMART scopes of the token (v1, v2), in their spelling; parsed and remembered by core/access. */
  readonly scopes: readonly string[];
  /** Names of the tenant's policies that narrow further; empty: scopes alone decide. */
  readonly policies: readonly string[];
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
}
