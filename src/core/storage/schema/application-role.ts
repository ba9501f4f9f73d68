import { sql, type RawBuilder } from 'kysely';
import type { ClientBase } from 'pg';
import type { Log } from '../../context';
import { APPLICATION_ROLE } from '../connection/database';
import { builder } from '../connection/statement';

/** Privileges of the role on some objects of the schema. */
interface Grant {
  readonly on: 'schema' | 'table' | 'function' | 'sequence';
  readonly names: readonly string[];
  readonly privileges: readonly string[];
  /** The columns of a table that the privileges are limited to; undefined: all. */
  readonly columns?: readonly string[];
}

/**
 * The role's privileges. It can read, except secret keys. It writes resources through functions that check the space,
 * and tables of accesses and sign-ins under row-level security.
 */
const GRANTS: readonly Grant[] = [
  { on: 'schema', names: ['andiron'], privileges: ['usage'] },
  {
    on: 'table',
    names: [
      ...['tenant', 'space', 'space_state', 'resource', 'resource_version', 'search_parameter'],
      ...['token_index', 'reference_index', 'range_index', 'string_index', 'uri_index'],
      ...['client_application', 'client_secret', 'token_issuer', 'user_account', 'job', 'job_content'],
      'user_invitation',
    ],
    privileges: ['select'],
  },
  {
    on: 'table',
    names: ['installation'],
    privileges: ['select'],
    columns: ['definitions_digest', 'least_schema'],
  },
  {
    on: 'table',
    names: ['signing_key'],
    privileges: ['select'],
    columns: ['tenant', 'id', 'algorithm', 'public_key', 'created', 'retired'],
  },
  {
    on: 'table',
    names: ['second_factor'],
    privileges: ['select'],
    columns: ['tenant', 'account', 'hash', 'placeholder'],
  },
  { on: 'table', names: ['access_record'], privileges: ['insert'] },
  { on: 'sequence', names: ['access_record_batch'], privileges: ['usage'] },
  { on: 'table', names: ['unopened_reference', 'content_chunk'], privileges: ['select', 'insert'] },
  { on: 'table', names: ['content'], privileges: ['select'] },
  {
    on: 'table',
    names: ['content'],
    privileges: ['update'],
    columns: ['size', 'digest', 'beat', 'dead', 'job'],
  },
  {
    on: 'table',
    names: [
      ...['user_session', 'user_grant', 'launch_context', 'sign_in_network', 'export_member'],
      ...['subscription_feed', 'subscription', 'subscription_event'],
      ...['import_file', 'import_chunk', 'import_error', 'concept_set', 'concept'],
      ...['closure', 'closure_concept'],
    ],
    privileges: ['select', 'insert', 'update', 'delete'],
  },
  {
    on: 'function',
    names: [
      ...['store_versions', 'lock_resource', 'claim_resources', 'require', 'require_targets'],
      'search_parameter_changes',
      ...['note_rows_made_with', 'outdated_spaces', 'strings_containing', 'tenant_usage', 'use_assertion'],
      'find_concepts',
      ...['register_search_parameters', 'restart_search_parameters', 'fail_search_parameter'],
      ...['begin_content', 'begin_job_content', 'claim_content', 'have_content_to_remove'],
      'require_import_space',
      ...['add_job', 'cancel_job', 'look_for_work', 'add_bulk_job', 'keep_export', 'renew_job'],
      ...['take_tokens', 'forget_full_buckets', 'have_access_records'],
      ...['attend', 'last_erasure', 'leave'],
      ...['attend_subscription_feeds', 'leave_subscription_feeds'],
    ],
    privileges: ['execute'],
  },
];

/**
 * Since PostgreSQL 16 a membership may lack the right to take the role: that of the user who has created it lacks it.
 * Earlier versions do not have the word SET.
 */
export const mayTakeRole = (oid: RawBuilder<unknown>): RawBuilder<boolean> => sql`
  pg_has_role(current_user, ${oid}, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)`;

/**
 * Creates the role that serves all requests, and grants its privileges again where a later step of migrations/ has
 * created an object anew, because a dropped object loses its grants. Roles belong to the whole cluster: the server of
 * another database may have created it before, or may be creating it now. **Cost**: two statements if nothing is
 * missing.
 */
export async function ensureApplicationRole(client: ClientBase, log: Log): Promise<void> {
  const role = sql.id(APPLICATION_ROLE);
  const attempt = async (step: string, statement: RawBuilder<unknown>): Promise<void> => {
    try {
      await client.query(statement.compile(builder).sql);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      // duplicate_object, unique_violation (a concurrent creation), "tuple concurrently updated"
      if (code === '42710' || code === '23505' || code === 'XX000') return;
      log.warn({ code, step }, 'the application role could not be set up');
    }
  };
  const named = sql`from pg_roles where rolname = ${sql.lit(APPLICATION_ROLE)}`;
  const existing = await client.query(sql`select 1 ${named}`.compile(builder).sql);
  if (existing.rowCount === 0) await attempt('create', sql`create role ${role} nologin`);
  const held = sql.join(GRANTS.flatMap(conditionsOf), sql` and `);
  const granted = await client.query<{ done: boolean }>(
    sql`select ${held} as done ${named}`.compile(builder).sql,
  );
  if (granted.rows[0]?.done === true) return;
  // A member may use the role, and may grant it only with its admin option.
  const taken = await client.query<{ done: boolean }>(
    sql`select ${mayTakeRole(sql`oid`)} as done ${named}`.compile(builder).sql,
  );
  if (taken.rows[0]?.done !== true) await attempt('member', sql`grant ${role} to current_user`);
  for (const grant of GRANTS) await attempt('grant', sql`${grantSql(grant)} to ${role}`);
}

/** Returns the statements that grant the privileges on objects with other names, by the plain ones; only on these. */
export function grantsTo(names: ReadonlyMap<string, string>): RawBuilder<unknown>[] {
  const role = sql.id(APPLICATION_ROLE);
  return GRANTS.flatMap((grant) => {
    const others = grant.names.flatMap((name) => names.get(name) ?? []);
    return others.length === 0 ? [] : [sql`${grantSql({ ...grant, names: others })} to ${role}`];
  });
}

function grantSql({ on, names, privileges, columns }: Grant): RawBuilder<unknown> {
  const objects = names.map((name) => (on === 'schema' ? sql.id(name) : sql.id('andiron', name)));
  const limit = columns === undefined ? sql`` : sql`(${sql.join(columns.map((column) => sql.id(column)))})`;
  const limited = privileges.map((privilege) => sql`${sql.raw(privilege)} ${limit}`);
  return sql`grant ${sql.join(limited)} on ${sql.raw(on)} ${sql.join(objects)}`;
}

/** Conditions that the role has each privilege on each object. */
function conditionsOf({ on, names, privileges, columns }: Grant): RawBuilder<unknown>[] {
  const role = sql.lit(APPLICATION_ROLE);
  return names.flatMap((name) =>
    privileges.flatMap((privilege) => {
      const object = sql.lit(on === 'schema' ? name : `andiron.${name}`);
      const right = sql.lit(privilege);
      if (columns !== undefined)
        return columns.map(
          (column) => sql`has_column_privilege(${role}, ${object}, ${sql.lit(column)}, ${right})`,
        );
      if (on === 'schema') return [sql`has_schema_privilege(${role}, ${object}, ${right})`];
      if (on === 'table') return [sql`has_table_privilege(${role}, ${object}, ${right})`];
      if (on === 'sequence') return [sql`has_sequence_privilege(${role}, ${object}, ${right})`];
      return [sql`has_function_privilege(${role}, ${object}::regproc, ${right})`];
    }),
  );
}
