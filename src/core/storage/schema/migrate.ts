import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Client, ClientBase } from 'pg';
import type { Log } from '../../context';
import { Nodes } from '../nodes/nodes';
import { ensureApplicationRole, mayTakeRole } from './application-role';
import { identifyBackend } from '../connection/backend';
import { watchConnection } from '../connection/connection-watch';
import {
  APPLICATION_ROLE,
  SET_SPACE,
  spaceSettings,
  type DatabaseOptions,
  type Row,
} from '../connection/database';
import { isConnectionLoss, translateDatabaseError } from '../connection/database-error';
import { createMissingFunctions, replaceChangedFunctions } from './database-functions';
import { takeMigrationLock } from './migration-lock';
import { runSteps } from './migration-steps';
import { closeClient, openClient } from '../connection/open-client';
import { OwnerSession } from '../connection/owner-session';
import {
  areOthersConnected,
  NOTICE_MS,
  raiseLeastSchema,
  readDatabaseSchema,
  readFunctionsOfSteps,
  schemaNumber,
  THIS_SCHEMA,
  type ProgramSchema,
} from './program-schema';
import { recordBaseline } from './replaced-steps';
import {
  builder,
  bind,
  defineStatement,
  template,
  type Bound,
  type Statement,
} from '../connection/statement';
import { refuseTransactionPool } from '../connection/transaction-pool';
import type { VersionWrite } from '../write/version-write';
import { writeVersions } from '../write/write-statements';

/** Facts about the database that a server reads at its start. */
export interface Installation {
  /** Random; leads the keys in Redis, so that two databases never share one. */
  readonly id: string;
  /** 16 bytes: key of the hashes in index rows. */
  readonly hashKey: Buffer;
  /** 32 bytes: signs cursors where SECRET_KEYS is unset. */
  readonly cursorKey: Buffer;
  /** False if the application role could not be created or taken: row-level security is off. */
  readonly hasRowSecurity: boolean;
  /** True if this call replaced the base conformance resources. */
  readonly baseReplaced: boolean;
  /** `space type` for every type with resources in a base space. */
  readonly baseTypes: ReadonlySet<string>;
}

/** The base conformance resources of all releases, and a digest that reveals a changed set. */
export interface BaseContent {
  readonly digest: string;
  /** Writes of a base space, built with the hash key of the database. */
  writes(hashKey: Buffer, space: number): Iterable<VersionWrite>;
  /** `space type` for every type with resources. Cost: half a second. */
  types(): ReadonlySet<string>;
}

/** Default limit in milliseconds on the wait for the migration lock, and on a step's wait for tables. */
const DEFAULT_WAIT_MS = 600_000;

export interface MigrateOptions {
  readonly database: DatabaseOptions;
  readonly base: BaseContent;
  readonly log: Log;
  /** Milliseconds to wait for the migration lock, and for tables that others use; default 600,000. */
  readonly waitMs?: number;
  /** Aborts the wait for the lock. */
  readonly signal?: AbortSignal;
  /** Default: the schema of this program. */
  readonly schema?: ProgramSchema;
  /** Default 15,000. */
  readonly noticeMs?: number;
}

const READ_INSTALLATION = defineStatement(
  template(sql`
    select id::text, hash_key, cursor_key, definitions_digest,
           coalesce(${mayTakeRole(sql`r.oid`)}, false)
    from andiron.installation i
    left join pg_roles r on r.rolname = ${bind('role')}
    limit 1`),
);
const READ_BASE_TYPES = defineStatement(
  template(sql`
    select distinct r.space || ' ' || r.resource_type from andiron.resource r where r.space in (1, 2)
    limit ${bind('limit')}::int`),
);
const SAVE_DIGEST = defineStatement(
  template(sql`update andiron.installation set definitions_digest = ${bind('digest')} where only_row`),
);

/**
 * Brings the database to this program's schema: the steps and functions of migrations/, the application role, and the
 * base conformance resources. The database of a newer program stays unchanged. Many processes can run it at once, and
 * it is quick if there is nothing to do.
 *
 * **Throws** Error if the database cannot be reached, is behind a transaction pool or needs a newer program, or if the
 * lock is not free in time.
 */
export async function migrate(options: MigrateOptions): Promise<Installation> {
  const { database, base, log, waitMs = DEFAULT_WAIT_MS, signal } = options;
  const client = await connect(database);
  try {
    await refuseTransactionPool(client, database);
    await takeMigrationLock(client, { log, waitMs, ...(signal === undefined ? {} : { signal }) });
    const isOurs = await migrateSchema(client, options, waitMs);
    const installation = await readInstallation(client);
    const baseReplaced = isOurs && installation.digest !== base.digest;
    if (baseReplaced) await loadBase(client, base, installation.hashKey, { database, log });
    const isSame = baseReplaced || installation.digest === base.digest;
    return {
      ...installation,
      baseReplaced,
      baseTypes: await readBaseTypes(client, isSame ? base : undefined),
    };
  } finally {
    await closeClient(client);
  }
}

/** False: the database belongs to a newer program, whose steps, functions, grants and base resources stay. */
async function migrateSchema(client: ClientBase, options: MigrateOptions, waitMs: number): Promise<boolean> {
  const { database, log, schema = THIS_SCHEMA, noticeMs = NOTICE_MS } = options;
  const found = await readDatabaseSchema(client);
  const names = Object.keys(schema.steps);
  const own = schemaNumber(names);
  if (found.number > own) {
    if (found.least !== undefined && found.least > own)
      throw new Error(
        `The database has schema ${found.number} and needs a program of schema ${found.least} or later; this one has ${own}: start a newer version`,
      );
    log.warn(
      { database: found.number, program: own },
      'the database has a newer schema version and is not migrated',
    );
    return false;
  }
  if (found.least !== undefined && found.least < schema.least) {
    await raiseLeastSchema(client, schema.least);
    log.info({ least: schema.least }, 'older schema versions can no longer write');
    if (await areOthersConnected(client)) await sleep(noticeMs);
  }
  const functions = await schema.readFunctions();
  if (names.some((name) => !found.steps.has(name))) {
    await recordBaseline(client, found);
    await createMissingFunctions(client, [...functions, ...(await readFunctionsOfSteps(found))]);
    await runSteps({ database, schema, isEmpty: found.number === 0, waitMs, log });
  }
  await replaceChangedFunctions(client, functions, log);
  await raiseLeastSchema(client, schema.least);
  await ensureApplicationRole(client, log);
  return true;
}

/** Opens the connection. **Throws** Error that names the server, which pg omits from some errors. */
async function connect(database: DatabaseOptions): Promise<Client> {
  try {
    const client = await openClient(database);
    watchConnection(database, client, await identifyBackend(client));
    return client;
  } catch (error) {
    // System errors name the address themselves, and errors of PostgreSQL need no address.
    if (!(error instanceof Error) || error instanceof AggregateError) throw error;
    if ('syscall' in error || 'severity' in error) throw error;
    const { host, port, ssl } = database;
    const server = `PostgreSQL at ${host}, port ${port},`;
    throw new Error(`${server} cannot be reached${ssl === false ? '' : ' by TLS'}: ${error.message}`, {
      cause: error,
    });
  }
}

async function readInstallation(
  client: ClientBase,
): Promise<Omit<Installation, 'baseTypes' | 'baseReplaced'> & { digest: string | null }> {
  const rows = await execute(client, READ_INSTALLATION, { role: APPLICATION_ROLE });
  const row = rows[0] as [string, Buffer, Buffer, string | null, boolean] | undefined;
  if (row === undefined) throw new Error('the database lost its installation row');
  const [id, hashKey, cursorKey, digest, hasRowSecurity] = row;
  return { id, hashKey, cursorKey, digest, hasRowSecurity };
}

/** Returns `Installation.baseTypes`. `base`: what the database has, which says the same while the node of these resources is away. */
async function readBaseTypes(
  client: ClientBase,
  base: BaseContent | undefined,
): Promise<ReadonlySet<string>> {
  try {
    const rows = await execute(client, READ_BASE_TYPES, { limit: 1000 });
    return new Set(rows.map((row) => String(row[0])));
  } catch (error) {
    if (base === undefined || !isConnectionLoss(translateDatabaseError(error).error)) throw error;
    return base.types();
  }
}

const BASE_BATCH = 100;
/** Those of the releases. */
const BASE_SPACES = [1, 2];
const BASE_TABLES = [
  'resource',
  'resource_version',
  'token_index',
  'reference_index',
  'range_index',
  'string_index',
  'uri_index',
];
const READ_BASE_VERSION = defineStatement(
  template(
    sql`select coalesce(max(r.version), 0) from andiron.resource r where r.space = ${bind('space')}::int`,
  ),
);
const DELETE_BASE = BASE_TABLES.map((table) =>
  defineStatement(
    template(sql`delete from ${sql.table(`andiron.${table}`)} where space = ${bind('space')}::int`),
  ),
);
const SET_BASE_VERSION = ['resource', 'resource_version'].map((table) =>
  defineStatement(
    template(
      sql`update ${sql.table(`andiron.${table}`)} set version = ${bind('version')}::int where space = ${bind('space')}::int`,
    ),
  ),
);

type Execute = (statement: Statement, bound: Readonly<Record<string, Bound>>) => Promise<Row[]>;

/**
 * Replaces the content of the base spaces: in one transaction, or where the database is distributed in one for each space on its
 * node. Those that are done are done again after a failure, because the digest comes last.
 */
async function loadBase(
  client: ClientBase,
  base: BaseContent,
  hashKey: Buffer,
  { database, log }: Pick<MigrateOptions, 'database' | 'log'>,
): Promise<void> {
  const started = Date.now();
  const control = (raw: ReturnType<typeof sql>): Promise<unknown> => client.query(raw.compile(builder).sql);
  const run: Execute = (statement, bound) => execute(client, statement, bound);
  let resources = 0;
  const replace = async (execute: Execute, space: number): Promise<void> => {
    resources += await replaceBase(execute, space, base.writes(hashKey, space));
  };
  const nodes = await Nodes.open(database, { allowsUntested: true });
  if (nodes !== undefined)
    for (const space of BASE_SPACES) {
      const session = await OwnerSession.openFor(space, { ...database, nodes });
      try {
        await session.longTransaction(() =>
          replace((statement, bound) => session.run(statement, bound), space),
        );
      } finally {
        await session.close();
      }
    }
  await control(sql`begin`);
  try {
    if (nodes === undefined) for (const space of BASE_SPACES) await replace(run, space);
    await run(SAVE_DIGEST, { digest: base.digest });
    await control(sql`commit`);
    await control(sql`analyze`);
    log.info({ resources, milliseconds: Date.now() - started }, 'base conformance resources loaded');
  } catch (error) {
    await control(sql`rollback`);
    throw error;
  }
}

/**
 * Replaces the content of a base space, and returns how many resources it has now. All get the next version number, so that a
 * client's ETag of an earlier content does not match.
 */
async function replaceBase(run: Execute, space: number, writes: Iterable<VersionWrite>): Promise<number> {
  const [row] = await run(READ_BASE_VERSION, { space });
  for (const statement of DELETE_BASE) await run(statement, { space });
  await run(SET_SPACE, spaceSettings(space));
  let count = 0;
  let batch: VersionWrite[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await writeVersions(run, space, batch);
    count += batch.length;
    batch = [];
  };
  for (const write of writes) {
    batch.push(write);
    if (batch.length >= BASE_BATCH) await flush();
  }
  await flush();
  const version = Number(row?.[0]) + 1;
  if (version > 1) for (const statement of SET_BASE_VERSION) await run(statement, { space, version });
  return count;
}

async function execute(
  client: ClientBase,
  statement: Statement,
  bound: Readonly<Record<string, Bound>>,
): Promise<Row[]> {
  const result = await client.query<unknown[]>({
    ...(statement.name === undefined ? {} : { name: statement.name }),
    text: statement.text,
    values: statement.values(bound),
    rowMode: 'array',
  });
  return result.rows;
}
