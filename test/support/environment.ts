import type { Release } from '../../src/core';
import { findServices } from './services';
import type { DatabaseAddress } from './template';

/** Answers without credentials and records nothing, also where PUBLIC_URL or TRUST_PROXY is set. */
export const OPEN = { AUTH_MODE: 'open', AUDIT: 'off' };

/** The environment that a server of the tests starts with: the services of the run, a free port, silence. */
export function toEnvironment(database: Pick<DatabaseAddress, 'environment'>): Record<string, string> {
  const { redis } = findServices();
  return {
    ...database.environment,
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
