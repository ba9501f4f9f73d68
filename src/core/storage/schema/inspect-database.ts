import { sql } from 'kysely';
import { APPLICATION_ROLE, type DatabaseOptions } from '../connection/database';
import { closeClient, openClient } from '../connection/open-client';
import { builder } from '../connection/statement';
import { refuseTransactionPool } from '../connection/transaction-pool';
import { mayTakeRole } from './application-role';
import { readSequenceRange, type SequenceRange } from './long-sequences';
import { PROGRAM_SCHEMA, readDatabaseSchema } from './program-schema';

/** The facts about its database that a server checks before it starts. */
export interface DatabaseInspection {
  /** `18.4` */
  readonly version: string;
  /** The major version. */
  readonly major: number;
  /** Milliseconds by which its clock is ahead of this process. */
  readonly clockAheadMs: number;
  readonly user: string;
  readonly isSuperuser: boolean;
  /** True: the user may create the schema `andiron`, or owns it. */
  readonly canCreate: boolean;
  /** True: the role of row-level security exists and can be taken, or the user may create it. */
  readonly canHaveRowSecurity: boolean;
  readonly encoding: string;
  readonly maxConnections: number;
  readonly bytes: number;
  /** Number of its schema; 0: none yet. */
  readonly schema: number;
  /** Number of this program's schema. */
  readonly programSchema: number;
  /** Least schema number of a program that may write to it; undefined: any. */
  readonly least: number | undefined;
  /** Undefined: it has no schema yet. */
  readonly sequences: SequenceRange | undefined;
}

interface DatabaseFacts {
  readonly version: string;
  readonly number: number;
  readonly now: number;
  readonly user: string;
  readonly superuser: boolean;
  readonly createrole: boolean;
  readonly create: boolean;
  readonly member: boolean | null;
  readonly encoding: string;
  readonly connections: number;
  readonly bytes: string;
}

const READ_FACTS = sql`
  select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
         (extract(epoch from clock_timestamp()) * 1000)::float8 as now, current_user::text as user,
         r.rolsuper as superuser, r.rolcreaterole as createrole,
         has_database_privilege(current_database(), 'create') as create,
         (select ${mayTakeRole(sql`a.oid`)} from pg_roles a
          where a.rolname = ${sql.lit(APPLICATION_ROLE)}) as member,
         pg_encoding_to_char(d.encoding)::text as encoding, current_setting('max_connections')::int as connections,
         pg_database_size(d.oid)::text as bytes
  from pg_roles r, pg_database d
  where r.rolname = current_user and d.datname = current_database()
  limit 1`.compile(builder).sql;

/**
 * Inspects the database without changing it. Throws as pg does if it cannot be reached, and Error if it is behind a
 * transaction pool. Cost: two connections and some twenty statements.
 */
export async function inspectDatabase(options: DatabaseOptions): Promise<DatabaseInspection> {
  const client = await openClient(options);
  try {
    await refuseTransactionPool(client, options);
    const sent = Date.now();
    const { rows } = await client.query<DatabaseFacts>(READ_FACTS);
    const middle = (sent + Date.now()) / 2;
    const [facts] = rows;
    if (facts === undefined) throw new Error('PostgreSQL does not list the current user');
    const { number, least } = await readDatabaseSchema(client);
    return {
      version: facts.version,
      major: Math.floor(facts.number / 10_000),
      clockAheadMs: Math.round(facts.now - middle),
      user: facts.user,
      isSuperuser: facts.superuser,
      canCreate: facts.create || facts.superuser,
      canHaveRowSecurity: facts.superuser || (facts.member ?? facts.createrole),
      encoding: facts.encoding,
      maxConnections: facts.connections,
      bytes: Number(facts.bytes),
      schema: number,
      programSchema: PROGRAM_SCHEMA,
      least,
      sequences: number === 0 ? undefined : await readSequenceRange(client),
    };
  } finally {
    await closeClient(client);
  }
}
