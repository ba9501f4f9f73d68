import type { Release } from '../../src/core';
import { PATIENCE_MS } from './patience';
import { findServices } from './services';
import type { DatabaseAddress } from './template';

/** Answers without credentials and records nothing, also where PUBLIC_URL or TRUST_PROXY is set. */
export const OPEN = { AUTH_MODE: 'open', AUDIT: 'off' };

/**
 * No server of the tests refuses or ends anything because the machine is slow. A test that is about a time limit starts a
 * server with that one short, and sends it nothing that is not about it.
 */
const PATIENT = String(PATIENCE_MS);
const WITHOUT_TIME_LIMITS = {
  REQUEST_TIMEOUT_MS: PATIENT,
  ASYNC_TIMEOUT_MS: PATIENT,
  // The longest that keeps the order of histories (docs/understand/storage.md, History), and that of a test.
  STATEMENT_TIMEOUT_MS: '300000',
  GRAPHQL_SNAPSHOT_MS: PATIENT,
  HEADERS_TIMEOUT_MS: PATIENT,
  ARRIVAL_TIMEOUT_MS: PATIENT,
  SUBSCRIPTION_STALL_MS: PATIENT,
};

/** The environment that a server of the tests starts with: the services of the run, a free port, patience, silence. */
export function toEnvironment(database: Pick<DatabaseAddress, 'environment'>): Record<string, string> {
  const { redis } = findServices();
  return {
    ...database.environment,
    ...WITHOUT_TIME_LIMITS,
    REDIS_HOST: redis.host,
    REDIS_PORT: String(redis.port),
    PORT: '0',
    METRICS_ADDRESS: 'off',
    LOG_LEVEL: 'silent',
  };
}

export function toPath(tenant: string, release: Release): string {
  return `/w/${tenant}/api/v1/fhir/${release}`;
}
