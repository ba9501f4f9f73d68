/** Issuers elsewhere whose tokens a tenant takes (docs/access.md). */
import { sql } from 'kysely';
import type { OfTenant } from './client-applications';
import type { Database, DatabaseOptions, Row } from './database';
import { OwnerSession } from './owner-session';
import { bind, defineStatement, template, type Bound, type Statement } from './statement';

export interface TokenIssuer {
  /** `iss` of its tokens, to the letter. */
  readonly issuer: string;
  /** Id of the ClientApplication that its tokens are of: what that may do is the most that they may. */
  readonly client: string;
  /** Which `aud` they must have. */
  readonly audience: string;
  /** Where its keys are. */
  readonly jwksUrl: string;
  /** The claim that says what the token may do: scopes, or with a map whatever stands for them. */
  readonly scopeClaim: string;
  /** Scopes by the values of the claim; null: the values are scopes. */
  readonly scopeMap: Readonly<Record<string, readonly string[]>> | null;
  /** The claim that refers to who sits before the client. */
  readonly userClaim: string;
  /** The claim with the id of the Patient in context. */
  readonly patientClaim: string;
}

const LIST = defineStatement(
  template(sql`
    select i.issuer, i.client, i.audience, i.jwks_url, i.scope_claim, i.scope_map, i.user_claim, i.patient_claim
    from andiron.token_issuer i where i.tenant = ${bind('tenant')}::int order by i.issuer limit 100`),
);
const PUT = defineStatement(
  template(sql`
    insert into andiron.token_issuer as i (tenant, issuer, client, audience, jwks_url, scope_claim, scope_map, user_claim,
      patient_claim)
    select ${bind('tenant')}::int, ${bind('issuer')}, c.id, ${bind('audience')}, ${bind('jwksUrl')},
      ${bind('scopeClaim')}, ${bind('scopeMap')}::jsonb, ${bind('userClaim')}, ${bind('patientClaim')}
    from andiron.client_application c where c.tenant = ${bind('tenant')}::int and c.id = ${bind('client')}
    on conflict (tenant, issuer) do update set client = excluded.client, audience = excluded.audience,
      jwks_url = excluded.jwks_url, scope_claim = excluded.scope_claim, scope_map = excluded.scope_map,
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

export class IssuerStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  async list(space: OfTenant): Promise<TokenIssuer[]> {
    const rows = await this.database.run('search', space.number, LIST, { tenant: space.tenantNumber });
    return rows.map(toIssuer);
  }

  /** Makes one or changes it. False when there is no such client. */
  async put({ tenantNumber }: OfTenant, issuer: TokenIssuer): Promise<boolean> {
    const scopeMap = issuer.scopeMap === null ? null : JSON.stringify(issuer.scopeMap);
    return this.change(PUT, { ...issuer, scopeMap, tenant: tenantNumber });
  }

  /** False when there is none of this name. */
  async remove({ tenantNumber }: OfTenant, issuer: string): Promise<boolean> {
    return this.change(REMOVE, { tenant: tenantNumber, issuer });
  }

  private async change(statement: Statement, bound: Readonly<Record<string, Bound>>): Promise<boolean> {
    const session = await OwnerSession.open(this.owner);
    try {
      return (await session.run(statement, bound)).length > 0;
    } finally {
      await session.close();
    }
  }
}

function toIssuer(row: Row): TokenIssuer {
  const [issuer, client, audience, jwksUrl, scopeClaim, scopeMap, userClaim, patientClaim] = row as [
    string,
    string,
    string,
    string,
    string,
    TokenIssuer['scopeMap'],
    string,
    string,
  ];
  return { issuer, client, audience, jwksUrl, scopeClaim, scopeMap, userClaim, patientClaim };
}
