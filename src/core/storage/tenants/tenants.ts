import { sql } from 'kysely';
import type { Database, DatabaseOptions } from '../connection/database';
import { fhirError } from '../../errors';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import { chooseNumbers } from './slot-numbers';
import type { SpaceOwners } from './space-owners';

/** Status of a tenant; requests are answered only for active ones. */
export type TenantStatus = 'active' | 'disabled' | 'importing' | 'deleting';

export interface TenantRow {
  readonly number: number;
  readonly name: string;
  /** Display name; null: the name itself. */
  readonly display: string | null;
  readonly status: TenantStatus;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Space numbers by release name. */
  readonly spaces: Readonly<Record<string, number>>;
  /** Numbers of the spaces of its AuditEvents, by release name. */
  readonly auditSpaces: Readonly<Record<string, number>>;
  /** The tenant's own settings, by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Number of changes of its search parameters; 0: it has never had any of its own. */
  readonly searchParameters: number;
  /** JSON of its policies, by name. */
  readonly policies: string;
}

/** A part of the list of tenants by name. */
export interface TenantRange {
  /** Only names after this one. */
  readonly after?: string;
  /** Default 100,000. */
  readonly most?: number;
  readonly status?: TenantStatus | undefined;
  /** Only tenants with this text in the name or the display name, in whatever case. */
  readonly contains?: string | undefined;
}

const COLUMNS = sql`t.number, t.name, t.display, t.status, floor(extract(epoch from t.created) * 1000)::bigint,
  (select jsonb_object_agg(s.release, s.number) from andiron.space s
   where s.tenant = t.number and s.kind = 'data'),
  (select jsonb_object_agg(s.release, s.number) from andiron.space s
   where s.tenant = t.number and s.kind = 'audit'),
  t.settings, coalesce(andiron.search_parameter_changes(t.number), 0), t.policies::text`;

const FIND_TENANT = defineStatement(
  template(sql`select ${COLUMNS} from andiron.tenant t where t.name = ${bind('name')} limit 1`),
);
const LIST_TENANTS = defineStatement(
  template(sql`
    select ${COLUMNS} from andiron.tenant t
    where t.name > ${bind('after')} and (${bind('status')}::text is null or t.status = ${bind('status')}::text)
      and (strpos(t.name, lower(${bind('contains')})) > 0 or strpos(lower(t.display), lower(${bind('contains')})) > 0)
    order by t.name limit ${bind('limit')}::int`),
);
const USAGE = defineStatement(
  template(sql`select resources, bytes from andiron.tenant_usage(${bind('tenant')}::int)`),
);
/** Returns no row if the name or one of the numbers is taken. Spaces and tenants share no number. */
const CREATE_TENANT = template(sql`
  with created as (
    insert into andiron.tenant (number, name, display, status, settings)
    select ${bind('number')}::int, ${bind('name')}, ${bind('display')}, ${bind('status')}, ${bind('settings')}::jsonb
    where not exists (select from andiron.space s where s.number = any (array[${bind('number')}::int] || ${bind('spaces')}::int[]))
      and not exists (select from andiron.tenant t where t.number = any (${bind('spaces')}::int[]))
    on conflict do nothing returning number
  ), spaces as (
    insert into andiron.space (number, tenant, release, kind, counter)
      select x.number, c.number, x.release, x.kind, x.counter
      from created c, unnest(${bind('spaces')}::int[], ${bind('releases')}::text[], ${bind('kinds')}::text[], ${bind('counters')}::int[])
        as x (number, release, kind, counter)
    returning number, counter
  ), states as (
    insert into andiron.space_state (space) select number from spaces
  )
  insert into andiron.change_counter (tenant) select distinct counter from spaces
  returning tenant`);
/** Only for a tenant that is active or disabled; other statuses change by an import or a deletion. */
const CHANGE_STATUS = template(sql`
  update andiron.tenant set status = ${bind('status')}
  where name = ${bind('name')} and name <> 'system' and status in ('active', 'disabled') returning number`);
const RENAME_TENANT = template(sql`
  update andiron.tenant set display = ${bind('display')} where name = ${bind('name')} returning number`);

const CHANGE_SETTINGS = template(sql`
  update andiron.tenant set settings = jsonb_strip_nulls(settings || ${bind('changes')}::jsonb)
  where name = ${bind('name')} returning number`);

/**
 * `added`: an object with the policy, or an empty one, which removes it. `most` limits the bytes of all policies, which are read with
 * the tenant each second.
 */
const CHANGE_POLICY = template(sql`
  update andiron.tenant set policies = (policies - ${bind('policy_name')}::text) || ${bind('added')}::jsonb
  where name = ${bind('name')}
    and octet_length((policies - ${bind('policy_name')}::text)::text)
      + octet_length(coalesce(${bind('policy')}::text, '')) <= ${bind('most')}::int
    and (not ${bind('is_guarded')}::boolean
      or policies -> ${bind('policy_name')}::text is not distinct from ${bind('expected')}::jsonb)
  returning number`);

const MAX_TENANTS = 100_000;
/** Choices of numbers; that one of them is taken is rare even with a million of tenants. */
const MOST_TRIES = 20;

/** The control plane: the tenants. Changes run as the owner, on a connection of their own. */
export class TenantStore {
  private readonly createStatement = defineStatement(CREATE_TENANT, { named: false });
  private readonly statusStatement = defineStatement(CHANGE_STATUS, { named: false });
  private readonly renameStatement = defineStatement(RENAME_TENANT, { named: false });

  private readonly policyStatement = defineStatement(CHANGE_POLICY, { named: false });
  private readonly settingsStatement = defineStatement(CHANGE_SETTINGS, { named: false });

  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
    /** Receives the spaces of each tenant that is read. */
    private readonly owners: SpaceOwners,
  ) {}

  async find(name: string): Promise<TenantRow | undefined> {
    const [row] = await this.database.run({ lane: 'search', space: undefined }, FIND_TENANT, { name });
    if (row === undefined) return undefined;
    return this.#withOwner(toTenantRow(row));
  }

  #withOwner(tenant: TenantRow): TenantRow {
    for (const space of [...Object.values(tenant.spaces), ...Object.values(tenant.auditSpaces)])
      this.owners.add(space, tenant.number);
    return tenant;
  }

  async usage(tenant: number): Promise<{ readonly resources: number; readonly bytes: number }> {
    const [row] = await this.database.run({ lane: 'search', space: undefined }, USAGE, { tenant });
    return { resources: Number(row?.[0] ?? 0), bytes: Number(row?.[1] ?? 0) };
  }

  /** By name, after the name `after`. Cost: without filters `most` rows of an index, with them all tenants. */
  async list({ after = '', most = MAX_TENANTS, status, contains = '' }: TenantRange = {}): Promise<
    TenantRow[]
  > {
    const rows = await this.database.run({ lane: 'search', space: undefined }, LIST_TENANTS, {
      ...{ after, contains, limit: most },
      status: status ?? null,
    });
    return rows.map((row) => this.#withOwner(toTenantRow(row)));
  }

  /** Creates a tenant; false if the name is taken. `settings`: by name. **Throws** contended if no numbers are free. */
  async create(
    name: string,
    releases: readonly string[],
    {
      settings,
      display,
      status = 'active',
    }: {
      readonly settings: Readonly<Record<string, string>>;
      readonly display: string | null;
      readonly status?: 'active' | 'importing';
    },
  ): Promise<boolean> {
    const kinds = ['data', 'audit'];
    const bound = {
      ...{ name, display, status, settings: JSON.stringify(settings) },
      releases: kinds.flatMap(() => releases),
      kinds: kinds.flatMap((kind) => releases.map(() => kind)),
    };
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const [number = 0, ...spaces] = chooseNumbers(1 + bound.kinds.length);
      const counters = spaces.map((space, index) => (bound.kinds[index] === 'audit' ? space : number));
      if (await this.change(this.createStatement, { ...bound, number, spaces, counters })) return true;
      // Otherwise, one of the numbers is taken.
      if ((await this.find(name)) !== undefined) return false;
    }
    throw fhirError('contended');
  }

  /** Changes the status; false if the tenant does not exist, is `system`, or is being imported or deleted. */
  async changeStatus(name: string, status: 'active' | 'disabled'): Promise<boolean> {
    return this.change(this.statusStatement, { name, status });
  }

  /** Changes the display name; null removes it. False if the tenant does not exist. */
  async rename(name: string, display: string | null): Promise<boolean> {
    return this.change(this.renameStatement, { name, display });
  }

  /** Changes settings; null removes one. False if the tenant does not exist. */
  async changeSettings(name: string, changes: Readonly<Record<string, string | null>>): Promise<boolean> {
    return this.change(this.settingsStatement, { name, changes: JSON.stringify(changes) });
  }

  /**
   * Changes a policy. `policy`: JSON; null removes it. `expected`: the current policy; null: none; undefined: any.
   * Returns false if the tenant does not exist, its policies exceed `most`, or the current policy is not the expected
   * one.
   */
  async changePolicy(
    tenant: string,
    name: string,
    policy: string | null,
    { most, expected }: { readonly most: number; readonly expected: string | null | undefined },
  ): Promise<boolean> {
    const added = policy === null ? '{}' : `{${JSON.stringify(name)}:${policy}}`;
    const guard = { is_guarded: expected !== undefined, expected: expected ?? null };
    return this.change(this.policyStatement, {
      ...{ name: tenant, policy_name: name, policy, added, most },
      ...guard,
    });
  }

  private async change(
    statement: ReturnType<typeof defineStatement>,
    bound: Record<string, string | number | boolean | null | readonly string[] | readonly number[]>,
  ): Promise<boolean> {
    const rows = await OwnerSession.inTransaction(this.owner, (session) => session.run(statement, bound));
    return rows.length > 0;
  }
}

function toTenantRow(row: readonly unknown[]): TenantRow {
  const [number, name, display, status, created, spaces, auditSpaces, settings, searchParameters, policies] =
    row as [
      number,
      string,
      string | null,
      TenantRow['status'],
      number,
      Record<string, number> | null,
      Record<string, number> | null,
      Record<string, string>,
      number,
      string,
    ];
  return {
    number,
    name,
    display,
    status,
    created,
    spaces: spaces ?? {},
    auditSpaces: auditSpaces ?? {},
    settings,
    searchParameters,
    policies,
  };
}
