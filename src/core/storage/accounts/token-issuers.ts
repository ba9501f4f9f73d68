/** External issuers whose tokens a tenant accepts (docs/run/access.md). */
import { sql } from 'kysely';
import type { ReleaseScope } from '../../fhir/release';
import { changeAccounts, type AdministeredTenant } from './administrators';
import type { TenantReference } from './client-applications';
import type { Database, DatabaseOptions, Row } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Bound, type Statement } from '../connection/statement';

export interface TokenIssuer {
  /** `iss` of its tokens, compared exactly. */
  readonly issuer: string;
  /** Id of the ClientApplication of its tokens, whose permissions are the upper limit of theirs. */
  readonly client: string;
  /** The release of the ids in its tokens; they give no access to another release. */
  readonly release: ReleaseScope;
  /** The required `aud` of its tokens. */
  readonly audience: string;
  /** The URL of its key set. */
  readonly jwksUrl: string;
  /** The claim with the permissions of the token: scopes, or the values that `scopeMap` maps to scopes. */
  readonly scopeClaim: string;
  /** Scopes by the values of the claim; null: the values are scopes. */
  readonly scopeMap: Readonly<Record<string, readonly string[]>> | null;
  /** The claim with a reference to the user. */
  readonly userClaim: string;
  /** The claim with the id of the Patient in context. */
  readonly patientClaim: string;
}

const LIST = defineStatement(
  template(sql`
    select i.issuer, i.client, coalesce(i.release, 'r4'), i.audience, i.jwks_url, i.scope_claim, i.scope_map,
      i.user_claim, i.patient_claim
    from andiron.token_issuer i where i.tenant = ${bind('tenant')}::int order by i.issuer limit 100`),
);
const PUT = defineStatement(
  template(sql`
    insert into andiron.token_issuer as i (tenant, issuer, client, release, audience, jwks_url, scope_claim, scope_map,
      user_claim, patient_claim)
    select ${bind('tenant')}::int, ${bind('issuer')}, c.id, ${bind('release')}, ${bind('audience')}, ${bind('jwksUrl')},
      ${bind('scopeClaim')}, ${bind('scopeMap')}::jsonb, ${bind('userClaim')}, ${bind('patientClaim')}
    from andiron.client_application c where c.tenant = ${bind('tenant')}::int and c.id = ${bind('client')}
    on conflict (tenant, issuer) do update set client = excluded.client, release = excluded.release,
      audience = excluded.audience, jwks_url = excluded.jwks_url, scope_claim = excluded.scope_claim, scope_map = excluded.scope_map,
      user_claim = excluded.user_claim, patient_claim = excluded.patient_claim
    returning i.issuer`),
  { named: false },
);
const REMOVE = defineStatement(
  template(sql`
    delete from andiron.token_issuer
    where tenant = ${bind('tenant')}::int and issuer = ${bind('issuer')} returning issuer`),
  { named: false },
);
/** Gives issuers that were stored before the column existed the release `r4`. */
const NAME_RELEASE = defineStatement(
  template(sql`
    update andiron.token_issuer i set release = 'r4' from andiron.tenant t
    where t.number = i.tenant and i.release is null and (i.tenant, i.issuer) in (
      select o.tenant, o.issuer from andiron.token_issuer o where o.release is null
      order by o.tenant, o.issuer limit ${bind('limit')}::int)
    returning t.name, i.issuer`),
  { named: false },
);

const NAMED_AT_ONCE = 1_000;

export class IssuerStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  async list(space: TenantReference): Promise<TokenIssuer[]> {
    const rows = await this.database.run({ lane: 'search', space: space.number }, LIST, {
      tenant: space.tenantNumber,
    });
    return rows.map(toIssuer);
  }

  /** Creates or replaces an issuer. False: the client does not exist. Throws `lastAdministrator`. */
  async put(of: AdministeredTenant, issuer: TokenIssuer): Promise<boolean> {
    const scopeMap = issuer.scopeMap === null ? null : JSON.stringify(issuer.scopeMap);
    return this.change(of, PUT, { ...issuer, scopeMap, tenant: of.tenantNumber });
  }

  /** False: the issuer does not exist. Throws `lastAdministrator`. */
  async remove(of: AdministeredTenant, issuer: string): Promise<boolean> {
    return this.change(of, REMOVE, { tenant: of.tenantNumber, issuer });
  }

  /** Gives issuers of all tenants without a release the release `r4`, and returns these issuers. */
  async nameReleases(): Promise<readonly { readonly tenant: string; readonly issuer: string }[]> {
    const session = await OwnerSession.open(this.owner);
    try {
      const rows = await session.run(NAME_RELEASE, { limit: NAMED_AT_ONCE });
      return rows.map(([tenant, issuer]) => ({ tenant: String(tenant), issuer: String(issuer) }));
    } finally {
      await session.close();
    }
  }

  private async change(
    of: AdministeredTenant,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<boolean> {
    return changeAccounts(
      this.owner,
      of,
      async (session) => (await session.run(statement, bound)).length > 0,
    );
  }
}

function toIssuer(row: Row): TokenIssuer {
  const [issuer, client, release, audience, jwksUrl, scopeClaim, scopeMap, userClaim, patientClaim] = row as [
    string,
    string,
    ReleaseScope,
    string,
    string,
    string,
    TokenIssuer['scopeMap'],
    string,
    string,
  ];
  return { issuer, client, release, audience, jwksUrl, scopeClaim, scopeMap, userClaim, patientClaim };
}
