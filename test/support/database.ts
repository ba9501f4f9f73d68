import { closedAtEnd } from './left-open';
import { findServices, runOnServer, type Connection } from './services';

export interface TestDatabase {
  /** What `createDatabase` and `migrate` of core/storage take. */
  readonly settings: Connection & { readonly ssl: false | { readonly ca?: string } };
  /** The same as environment variables of the server. */
  readonly environment: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

let made = 0;

/**
 * A database of the caller's own: a copy of the migrated template, or with `empty` one without a table.
 * Cost: some ten milliseconds.
 */
export async function createTestDatabase(options: { readonly empty?: boolean } = {}): Promise<TestDatabase> {
  const { server, template } = findServices();
  made += 1;
  const name = `andiron_test_${process.pid}_${made}`;
  await runOnServer(server, `drop database if exists "${name}" with (force)`);
  await runOnServer(
    server,
    `create database "${name}" ${options.empty === true ? '' : `template "${template}"`}`,
  );
  return {
    settings: { ...server, database: name, ssl: false },
    environment: {
      FHIR_DATABASE_HOST: server.host,
      FHIR_DATABASE_PORT: String(server.port),
      FHIR_DATABASE_USERNAME: server.user,
      FHIR_DATABASE_PASSWORD: server.password,
      FHIR_DATABASE_NAME: name,
    },
    drop: closedAtEnd(() => runOnServer(server, `drop database if exists "${name}" with (force)`)),
  };
}
