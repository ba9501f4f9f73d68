import type { TestDatabase } from '../support/database';
import type { Forwarder } from './forwarder';

/** The same database, reached through a forwarder; it is the caller's to drop. */
export function throughForwarder(database: TestDatabase, forwarder: Forwarder): TestDatabase {
  forwarder.point(database.settings.port);
  return {
    ...database,
    settings: { ...database.settings, host: '127.0.0.1', port: forwarder.port },
    environment: {
      ...database.environment,
      FHIR_DATABASE_HOST: '127.0.0.1',
      FHIR_DATABASE_PORT: String(forwarder.port),
    },
  };
}
