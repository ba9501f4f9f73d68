import { randomBytes } from 'node:crypto';
import { findServices, runOnNodes, runOnServer, type Connection } from './services';

/** The connection settings of the program and of `pg`. */
export interface DatabaseAddress {
  /** The parameters of `createDatabase` and `migrate` of core/storage. */
  readonly settings: Connection & { readonly ssl: false | { readonly ca?: string } };
  /** The same as environment variables of the server. */
  readonly environment: Readonly<Record<string, string>>;
}

/** The address of a database, in both forms. */
export function toAddress(connection: Connection): DatabaseAddress {
  return {
    settings: { ...connection, ssl: false },
    environment: {
      FHIR_DATABASE_HOST: connection.host,
      FHIR_DATABASE_PORT: String(connection.port),
      FHIR_DATABASE_USERNAME: connection.user,
      FHIR_DATABASE_PASSWORD: connection.password,
      FHIR_DATABASE_NAME: connection.database,
    },
  };
}

/**
 * A database of this process, a copy of the migrated template, or with `empty` one without a table.
 * @param suffix part of its name, such as a number
 */
export async function copyTemplate(suffix: string, empty = false): Promise<DatabaseAddress> {
  const { server, workers, template } = findServices();
  // Entries of servers of an earlier file in Redis have the name of their database.
  const name = `andiron_test_${process.pid}_${suffix}_${randomBytes(4).toString('hex')}`;
  // Copied as files, it takes a fifth of the time and writes no log of its 60 MB.
  const source = empty ? '' : `template "${template}" strategy file_copy`;
  await runOnNodes(server, workers, `create database "${name}" ${source}`);
  // `andiron distribute` sets it on the database, and a copy has no settings of its own.
  if (workers.length > 0)
    await runOnServer(server, `alter database "${name}" set citus.multi_shard_modify_mode to 'sequential'`);
  return toAddress({ ...server, database: name });
}
