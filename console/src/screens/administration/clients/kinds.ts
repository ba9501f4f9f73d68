/** The kinds of clients that people tell apart. */
import type { Client } from '../../../api/administration';

/**
 * `service`: a program for itself, with a secret; `keys`: the same with keys of its own; `app`: people sign in, and it
 * cannot keep a secret; `server-app`: people sign in, and its server keeps a secret.
 */
export const KINDS = ['app', 'server-app', 'service', 'keys'] as const;
export type Kind = (typeof KINDS)[number];

export function kindOf({
  public: isPublic,
  redirectUris,
  jwks,
  jwksUrl,
}: Pick<Client, 'public' | 'redirectUris' | 'jwks' | 'jwksUrl'>): Kind {
  if (isPublic) return 'app';
  if (redirectUris.length > 0) return 'server-app';
  return jwks === null && jwksUrl === null ? 'service' : 'keys';
}

/** Whether people sign in for it. */
export function isForPeople(kind: Kind): boolean {
  return kind === 'app' || kind === 'server-app';
}

/** What a new client of the kind begins with. */
export const FIRST_SCOPES: Readonly<Record<Kind, readonly string[]>> = {
  app: ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs', 'offline_access'],
  'server-app': ['openid', 'fhirUser', 'launch/patient', 'patient/*.rs', 'offline_access'],
  service: ['system/*.rs'],
  keys: ['system/*.rs'],
};
