/**
 * SMART scopes for resources, of both versions (http://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html):
 * `patient/Observation.read`, `user/*.*`, `system/Observation.rs?category=laboratory`.
 */
import { FhirError } from '../errors';
import { parseQueryText, type QueryParameter } from '../fhir/query-text';
import { createCache } from '../memory/create-cache';
import { parseRights, type Right } from './right';

/** The scope with which a token has the rights of the user's account: those of an administrator or auditor. */
export const ADMINISTRATION = 'administration';

export type ScopeContext = 'patient' | 'user' | 'system';
export const SCOPE_CONTEXTS: readonly string[] = ['patient', 'user', 'system'];

/** Scopes that are not about types of resources. */
export const OTHER_SCOPES: readonly string[] = [
  ...['openid', 'profile', 'fhirUser', 'launch', 'launch/patient', 'offline_access', 'online_access'],
  ADMINISTRATION,
];

export interface Scope {
  readonly context: ScopeContext;
  /** `*`: all. */
  readonly type: string;
  readonly rights: ReadonlySet<Right>;
  /** Search parameters that a resource must meet. */
  readonly criteria: readonly QueryParameter[];
}

const RESOURCE_SCOPE = /^(patient|user|system)\/(\*|[A-Z][A-Za-z]{0,63})\.([a-z*]{1,5})(?:\?(.+))?$/s;
const VERSION_1: ReadonlyMap<string, ReadonlySet<Right>> = new Map([
  ['read', new Set<Right>(['r', 's'])],
  ['write', new Set<Right>(['c', 'u', 'd'])],
  ['*', new Set<Right>(['c', 'r', 'u', 'd', 's'])],
]);
const MAX_LENGTH = 2000;

/** Parsed scopes of clients: there are few different ones, and each request needs them. */
const parsedScopes = createCache<string, { readonly scope: Scope | undefined }>({
  name: 'scopes',
  scope: 'program',
  max: 2000,
});

/** Undefined: not a resource scope (`openid`, `launch/patient`), or invalid, so that it grants nothing. */
export function parseScope(text: string): Scope | undefined {
  let parsed = parsedScopes.get(text);
  if (parsed === undefined) {
    parsed = { scope: text.length > MAX_LENGTH ? undefined : read(text) };
    if (text.length <= MAX_LENGTH) parsedScopes.set(text, parsed);
  }
  return parsed.scope;
}

/** The scopes of a client without a user: `user/` and `patient/` scopes need a signed-in user. */
export function ownScopes(scopes: readonly string[]): readonly string[] {
  return scopes.filter((scope) => parseScope(scope)?.context === 'system');
}

function read(text: string): Scope | undefined {
  const [, context, type, letters, query] = RESOURCE_SCOPE.exec(text) ?? [];
  if (context === undefined || type === undefined || letters === undefined) return undefined;
  const rights = VERSION_1.get(letters) ?? parseRights(letters);
  // Only version 2 has queries.
  if (rights === undefined || (query !== undefined && VERSION_1.has(letters))) return undefined;
  const criteria = query === undefined ? [] : readQuery(query);
  return criteria === undefined ? undefined : { context: context as ScopeContext, type, rights, criteria };
}

function readQuery(query: string): readonly QueryParameter[] | undefined {
  try {
    const criteria = parseQueryText(query);
    return criteria.length === 0 || criteria.some(([, value]) => value === '') ? undefined : criteria;
  } catch (error) {
    if (error instanceof FhirError) return undefined;
    throw error;
  }
}
