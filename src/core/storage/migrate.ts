import { Kysely, Migrator, PostgresDialect, sql } from 'kysely';
import { Client, Pool, type ClientBase } from 'pg';
import { MIGRATIONS } from '../../../migrations';
import type { Log } from '../context';
import { ensureApplicationRole } from './application-role';
import { APPLICATION_ROLE, clientConfiguration, SET_SPACE, type DatabaseOptions } from './database';
import { builder, bind, defineStatement, template, type Bound, type Statement } from './statement';
import type { VersionWrite } from './version-write';
import { writeVersions } from './write-statements';

/** What a server needs to know about the database that it was started on. */
export interface Installation {
  /** Random; leads the keys in Redis, so that two databases never share one. */
  readonly id: string;
  /** 16 bytes: key of the hashes in index rows. */
  readonly hashKey: Buffer;
  /** 32 bytes: signs cursors where SECRET_KEYS is unset. */
  readonly cursorKey: Buffer;
  /** False where the application role could not be made or taken: row-level security is then not in force. */
  readonly wall: boolean;
  /** True when this call replaced the base conformance resources. */
  readonly baseReplaced: boolean;
  /** `space type` for every type that a base space holds resources of. */
  readonly baseTypes: ReadonlySet<string>;
}

/** The base conformance resources of all releases, and a digest by which a changed set is told. */
export interface BaseContent {
  readonly digest: string;
  /** Writes by space, to be made under the hash key of the database. */
  writes(hashKey: Buffer): Iterable<{ space: number; write: VersionWrite }>;
}

/** Any number; the lock that lets many processes start at once. */
const MIGRATION_LOCK = 7_230_911;

const LOCK = defineStatement(template(sql`select pg_advisory_lock(${bind('lock')}::bigint)`));
const READ_INSTALLATION = defineStatement(
  template(sql`
    select id::text, hash_key, cursor_key, definitions_digest,
           coalesce(pg_has_role(current_user, r.oid, 'MEMBER'), false)
    from andiron.installation i
    left join pg_roles r on r.rolname = ${bind('role')}
    limit 1`),
);
const READ_BASE_TYPES = defineStatement(
  template(sql`
    select distinct r.space || ' ' || r.resource_type from andiron.resource r where r.space <= 2
    limit ${bind('limit')}::int`),
);
const SAVE_DIGEST = defineStatement(
  template(sql`update andiron.installation set definitions_digest = ${bind('digest')} where only_row`),
);

/**
 * Brings the database to this program's schema: steps of migrations/, the application role, the base conformance
 * resources. Safe to be run by many processes at once, and quick when there is nothing to do (three statements).
 */
export async function migrate(options: {
  database: DatabaseOptions;
  base: BaseContent;
  log: Log;
}): Promise<Installation> {
  const client = await connect(options.database);
  try {
    await execute(client, LOCK, { lock: MIGRATION_LOCK });
    await runSteps(options.database, options.log);
    await ensureApplicationRole(client, options.log);
    const installation = await readInstallation(client);
    const baseReplaced = installation.digest !== options.base.digest;
    if (baseReplaced) {
      await loadBase(client, options.base, installation.hashKey, options.log);
    }
    const types = await execute(client, READ_BASE_TYPES, { limit: 1000 });
    return { ...installation, baseReplaced, baseTypes: new Set(types.map((row) => String(row[0]))) };
  } finally {
    await client.end();
  }
}

/** @throws Error that says which server, where pg says only what is wrong with it */
async function connect(database: DatabaseOptions): Promise<Client> {
  const client = new Client({ ...clientConfiguration(database), statement_timeout: 0 });
  try {
    await client.connect();
    return client;
  } catch (error) {
    // The system names the address itself, and PostgreSQL's own refusals speak for themselves.
    if (!(error instanceof Error) || error instanceof AggregateError) throw error;
    if ('syscall' in error || 'severity' in error) throw error;
    const { host, port, ssl } = database;
    const server = `PostgreSQL at ${host}, port ${port},`;
    throw new Error(`${server} cannot be reached${ssl === false ? '' : ' by TLS'}: ${error.message}`, {
      cause: error,
    });
  }
}

async function runSteps(database: DatabaseOptions, log: Log): Promise<void> {
  const pool = new Pool({ ...clientConfiguration(database), max: 1 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve({ ...MIGRATIONS }) },
      migrationTableSchema: 'andiron_migration',
    });
    const { error, results } = await migrator.migrateToLatest();
    for (const result of results ?? [])
      log.info({ step: result.migrationName, status: result.status }, 'migration');
    if (error !== undefined) throw error instanceof Error ? error : new Error('a migration failed');
  } finally {
    await db.destroy();
  }
}

async function readInstallation(
  client: ClientBase,
): Promise<Omit<Installation, 'baseTypes' | 'baseReplaced'> & { digest: string | null }> {
  const rows = await execute(client, READ_INSTALLATION, { role: APPLICATION_ROLE });
  const row = rows[0] as [string, Buffer, Buffer, string | null, boolean] | undefined;
  if (row === undefined) throw new Error('the database lost its installation row');
  const [id, hashKey, cursorKey, digest, wall] = row;
  return { id, hashKey, cursorKey, digest, wall };
}

const BASE_BATCH = 100;

/**
 * Replaces the content of the base spaces, in one transaction. All of it bears the next version number, so that a
 * client's ETag of what was there before does not match what is there now.
 */
async function loadBase(client: ClientBase, base: BaseContent, hashKey: Buffer, log: Log): Promise<void> {
  const started = Date.now();
  const control = (raw: ReturnType<typeof sql>): Promise<unknown> => client.query(raw.compile(builder).sql);
  await control(sql`begin`);
  try {
    const { rows } = await client.query<{ version: number }>(
      sql`select coalesce(max(version), 0) as version from andiron.resource where space <= 2`.compile(builder)
        .sql,
    );
    const version = (rows[0]?.version ?? 0) + 1;
    for (const table of [
      'resource',
      'resource_version',
      'token_index',
      'reference_index',
      'range_index',
      'string_index',
      'uri_index',
    ]) {
      await control(sql`delete from ${sql.table(`andiron.${table}`)} where space <= 2`);
    }
    let count = 0;
    let batch: VersionWrite[] = [];
    let space = 0;
    const flush = async (): Promise<void> => {
      if (batch.length === 0) return;
      await execute(client, SET_SPACE, { space: String(space) });
      await writeVersions((statement, bound) => execute(client, statement, bound), space, batch);
      count += batch.length;
      batch = [];
    };
    for (const member of base.writes(hashKey)) {
      if (member.space !== space || batch.length >= BASE_BATCH) await flush();
      space = member.space;
      batch.push(member.write);
    }
    await flush();
    if (version > 1) {
      await control(sql`update andiron.resource set version = ${sql.lit(version)} where space <= 2`);
      await control(sql`update andiron.resource_version set version = ${sql.lit(version)} where space <= 2`);
    }
    await execute(client, SAVE_DIGEST, { digest: base.digest });
    await control(sql`commit`);
    await control(sql`analyze`);
    log.info({ resources: count, milliseconds: Date.now() - started }, 'base conformance resources loaded');
  } catch (error) {
    await control(sql`rollback`);
    throw error;
  }
}

async function execute(
  client: ClientBase,
  statement: Statement,
  bound: Readonly<Record<string, Bound>>,
): Promise<unknown[][]> {
  const result = await client.query<unknown[]>({
    ...(statement.name === undefined ? {} : { name: statement.name }),
    text: statement.text,
    values: statement.values(bound),
    rowMode: 'array',
  });
  return result.rows;
}
