import { sql } from 'kysely';
import { Client } from 'pg';
import { clientConfiguration, type Database, type DatabaseOptions } from './database';
import { bind, defineStatement, template } from './statement';
import { translateDatabaseError } from './database-error';

export interface TenantRow {
  readonly number: number;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Space numbers by release name. */
  readonly spaces: Readonly<Record<string, number>>;
  /** What the tenant has set, by the names of settings. */
  readonly settings: Readonly<Record<string, string>>;
  /** How often its search parameters have changed; 0: it has never had any of its own. */
  readonly searchParameters: number;
}

const COLUMNS = sql`t.number, t.name, t.status, floor(extract(epoch from t.created) * 1000)::bigint,
  (select jsonb_object_agg(s.release, s.number) from andiron.space s where s.tenant = t.number), t.settings,
  t.search_parameters`;

const FIND_TENANT = defineStatement(
  template(sql`select ${COLUMNS} from andiron.tenant t where t.name = ${bind('name')} limit 1`),
);
const LIST_TENANTS = defineStatement(
  template(sql`select ${COLUMNS} from andiron.tenant t order by t.name limit ${bind('limit')}::int`),
);
const CREATE_TENANT = template(sql`
  with created as (
    insert into andiron.tenant (name, settings) values (${bind('name')}, ${bind('settings')}::jsonb)
    on conflict do nothing returning number
  ), counter as (
    insert into andiron.change_counter (tenant) select number from created
  )
  insert into andiron.space (tenant, release)
    select c.number, r.name from created c, unnest(${bind('releases')}::text[]) as r (name)
  returning number`);
const DISABLE_TENANT = template(sql`
  update andiron.tenant set status = 'disabled' where name = ${bind('name')} and name <> 'system' returning number`);

const CHANGE_SETTINGS = template(sql`
  update andiron.tenant set settings = jsonb_strip_nulls(settings || ${bind('changes')}::jsonb)
  where name = ${bind('name')} returning number`);

const MAX_TENANTS = 100_000;

/** The control plane: which tenants there are. Changes are made as the owner, on a connection of their own. */
export class TenantStore {
  private readonly createStatement = defineStatement(CREATE_TENANT, { named: false });
  private readonly disableStatement = defineStatement(DISABLE_TENANT, { named: false });

  private readonly settingsStatement = defineStatement(CHANGE_SETTINGS, { named: false });

  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  async find(name: string): Promise<TenantRow | undefined> {
    const [row] = await this.database.run('search', undefined, FIND_TENANT, { name });
    return row === undefined ? undefined : toTenantRow(row);
  }

  async list(): Promise<TenantRow[]> {
    const rows = await this.database.run('search', undefined, LIST_TENANTS, { limit: MAX_TENANTS });
    return rows.map(toTenantRow);
  }

  /** False when the name is taken. `settings`: by their names. */
  async create(
    name: string,
    releases: readonly string[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<boolean> {
    return this.change(this.createStatement, { name, releases, settings: JSON.stringify(settings) });
  }

  /** False when there is no such tenant, or it is `system`. */
  async disable(name: string): Promise<boolean> {
    return this.change(this.disableStatement, { name });
  }

  /** Null takes a setting away. False when there is no such tenant. */
  async changeSettings(name: string, changes: Readonly<Record<string, string | null>>): Promise<boolean> {
    return this.change(this.settingsStatement, { name, changes: JSON.stringify(changes) });
  }

  private async change(
    statement: ReturnType<typeof defineStatement>,
    bound: Record<string, string | readonly string[]>,
  ): Promise<boolean> {
    const client = new Client(clientConfiguration(this.owner));
    // A lost connection fails the statement, which tells; without a listener the event would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const result = await client.query({ text: statement.text, values: statement.values(bound) });
      return (result.rowCount ?? 0) > 0;
    } catch (error) {
      throw translateDatabaseError(error).error;
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

function toTenantRow(row: readonly unknown[]): TenantRow {
  const [number, name, status, created, spaces, settings, searchParameters] = row as [
    number,
    string,
    TenantRow['status'],
    number,
    Record<string, number> | null,
    Record<string, string>,
    number,
  ];
  return { number, name, status, created, spaces: spaces ?? {}, settings, searchParameters };
}
