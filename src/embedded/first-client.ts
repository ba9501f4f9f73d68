import { randomBytes } from 'node:crypto';
import type { Core } from '../core';

const NAME = 'Quick start';
const TENANT = 'system';

/**
 * Makes a client that may do everything in the tenant of the examples, and administer the server. Returns `id:secret`; undefined
 * if an earlier run has made it.
 */
export async function makeFirstClient({ tenants: { clients } }: Core): Promise<string | undefined> {
  if ((await clients.list(TENANT)).some(({ name }) => name === NAME)) return undefined;
  const details = { name: NAME, scopes: ['system/*.cruds'], isAdministrator: true };
  const { client, secret } = await clients.createWithSecret(TENANT, details);
  return `${client.id}:${secret.secret}`;
}

/** The account with which a person looks around: a practitioner of the demo, who is also an administrator. */
export interface FirstPerson {
  readonly name: string;
  readonly password: string;
}

/**
 * Makes an account for the console, whose FHIR identity is the practitioner of the demo. Undefined if an earlier run has made
 * it.
 */
export async function makeFirstPerson({ tenants: { users } }: Core): Promise<FirstPerson | undefined> {
  const name = 'admin';
  if ((await users.list(TENANT)).some((user) => user.name === name)) return undefined;
  const password = randomBytes(15).toString('base64url');
  await users.create(TENANT, {
    ...{ name, display: 'Administrator', password, fhirUser: 'Practitioner/demo-doe', release: 'both' },
    ...{ isAdministrator: true, isAuditor: true },
  });
  return { name, password };
}
