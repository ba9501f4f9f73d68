/**
 * The client of the web console, which every tenant has without a registration. The tenant's row stores only whether it is
 * disabled and its policies; everything else is that of the program.
 */
import type { ClientChanges } from '../api/access';
import { fhirError } from '../errors';
import type { ClientDetails, StoredClient } from '../storage/accounts/client-applications';
import type { TenantAddress } from '../api/tenant-address';

/** Its id in every tenant. Ids of other clients are UUIDs. */
export const CONSOLE = 'andiron-console';

export const CONSOLE_DETAILS: ClientDetails = {
  name: 'Andiron console',
  isDisabled: false,
  /** Those that the console asks for (console/src/api/session.ts). */
  scopes: ['openid', 'profile', 'fhirUser', 'online_access', 'user/*.cruds', 'administration'],
  policies: [],
  isAdministrator: false,
  isAuditor: false,
  jwks: null,
  jwksUrl: null,
  redirectUris: [],
  isPublic: true,
  idTokenAlgorithm: 'RS256',
};

/** The members that an administrator may change. */
const CHANGEABLE: readonly string[] = ['isDisabled', 'policies'];

export function isConsole({ id }: Pick<StoredClient, 'id'>): boolean {
  return id === CONSOLE;
}

/** Returns the stored client, or that of the console in place of its row. */
export function asInProgram(id: string, stored: StoredClient | undefined): StoredClient | undefined {
  if (id !== CONSOLE) return stored;
  const { isDisabled, policies } = stored ?? CONSOLE_DETAILS;
  return { ...CONSOLE_DETAILS, id, created: stored?.created ?? 0, isDisabled, policies, secrets: [] };
}

/** Returns the client with its redirect addresses; those of the console are below the addresses of the server. */
export function withAddresses<Client extends Pick<StoredClient, 'id' | 'redirectUris'>>(
  client: Client,
  bases: readonly string[],
  tenant: string,
): Client {
  if (!isConsole(client)) return client;
  return { ...client, redirectUris: bases.map((base) => `${toConsole({ base, tenant })}/signed-in`) };
}

/** The address of the tenant's console, without a trailing slash. */
export function toConsole({ base, tenant }: TenantAddress): string {
  return `${base}/w/${tenant}/console`;
}

/** Throws `invalidValue` for changes of what is the program's. */
export function requireChangeable(id: string, changes: ClientChanges): void {
  if (id !== CONSOLE) return;
  const members: [string, unknown][] = Object.entries(changes);
  if (members.every(([name, value]) => value === undefined || CHANGEABLE.includes(name))) return;
  const reason = `The client ${CONSOLE} is part of the program: only "disabled" and "policies" can be changed`;
  throw fhirError('invalidValue', { reason });
}
