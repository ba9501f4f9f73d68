import type { Core } from '../core';

const NAME = 'Quick start';
const TENANT = 'system';

/**
 * Makes a client that may do everything in the tenant of the examples, and administer the server. Returns `id:secret`; undefined
 * if an earlier run has made it.
 */
export async function makeFirstClient({ clients }: Core): Promise<string | undefined> {
  if ((await clients.list(TENANT)).some(({ name }) => name === NAME)) return undefined;
  const details = { name: NAME, scopes: ['system/*.cruds'], isAdministrator: true };
  const { client, secret } = await clients.createWithSecret(TENANT, details);
  return `${client.id}:${secret.secret}`;
}
