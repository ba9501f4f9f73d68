/** The nodes of Citus and their versions, as the database of the coordinator has them. */
import { sql, type RawBuilder } from 'kysely';
import type { ClientBase } from 'pg';
import { builder } from '../connection/statement';

/** The versions of Citus and PostgreSQL that a start accepts. Others need ALLOW_UNTESTED_CITUS, or --force. */
const CITUS_VERSIONS: readonly string[] = ['13.2'];
const POSTGRES_VERSIONS: readonly number[] = [17];

/** A PostgreSQL server of the cluster. */
export interface ClusterNode {
  /** Its `nodeid` in Citus. */
  readonly id: number;
  readonly host: string;
  readonly port: number;
  readonly role: 'coordinator' | 'worker' | 'standby';
  /** False: Citus puts no shards there, or the node is switched off. */
  readonly takesShards: boolean;
}

export interface Cluster {
  /** The version of the extension, such as `13.2`. */
  readonly citus: string;
  /** The major version of PostgreSQL. */
  readonly postgres: number;
  /** True: the server that was asked is the coordinator. */
  readonly isCoordinator: boolean;
  readonly isDistributed: boolean;
  readonly nodes: readonly ClusterNode[];
}

const READ_VERSIONS = sql`
  select substring(e.extversion from '^[0-9]+[.][0-9]+') as citus, current_setting('server_version_num')::int / 10000 as postgres
  from pg_extension e where e.extname = 'citus' limit 1`;
const READ_STATE = sql`
  select (select g.groupid from pg_dist_local_group g limit 1) = 0 as coordinator,
         exists (select from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
                 where c.relnamespace = to_regnamespace('andiron')) as distributed`;
const READ_NODES = sql`
  select n.nodeid as id, n.nodename::text as host, n.nodeport as port,
         case when n.noderole <> 'primary' then 'standby' when n.groupid = 0 then 'coordinator' else 'worker' end as role,
         n.isactive and n.shouldhaveshards and n.noderole = 'primary' as "takesShards"
  from pg_dist_node n order by n.groupid, n.noderole, n.nodeid limit 1000`;

/** Undefined: the database has no extension `citus`. **Throws** as pg does. */
export async function readCluster(client: ClientBase): Promise<Cluster | undefined> {
  const [versions] = await rowsOf<{ citus: string; postgres: number }>(client, READ_VERSIONS);
  if (versions === undefined) return undefined;
  const [state] = await rowsOf<{ coordinator: boolean; distributed: boolean }>(client, READ_STATE);
  return {
    ...versions,
    isCoordinator: state?.coordinator === true,
    isDistributed: state?.distributed === true,
    nodes: await rowsOf<ClusterNode>(client, READ_NODES),
  };
}

/** Runs a statement on a connection outside the pools. **Throws** as pg does. */
export async function rowsOf<T extends object>(
  client: ClientBase,
  statement: RawBuilder<unknown>,
): Promise<T[]> {
  const { sql: text, parameters } = statement.compile(builder);
  return (await client.query<T>(text, [...parameters])).rows;
}

/** `10.0.0.12:5432` */
export function addressOf({ host, port }: { readonly host: string; readonly port: number }): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Says which versions are needed; undefined: these are. */
export function describeUntested({
  citus,
  postgres,
}: Pick<Cluster, 'citus' | 'postgres'>): string | undefined {
  if (!CITUS_VERSIONS.includes(citus))
    return `Citus ${citus} was not tried with this version of Andiron: it needs ${CITUS_VERSIONS.join(' or ')}`;
  if (!POSTGRES_VERSIONS.includes(postgres))
    return `PostgreSQL ${postgres} with Citus was not tried with this version of Andiron: it needs ${POSTGRES_VERSIONS.join(' or ')}`;
  return undefined;
}
