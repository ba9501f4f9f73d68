/**
 * Signatures that let their holder read one version for a minute, for browsers that load an image or a document from its
 * address alone.
 */
import type { Caller } from '../api/access';
import type { ResourceVersion, SignedRead } from '../api/version';
import type { RequestContext, Space } from '../context';
import { FhirError, fhirError } from '../errors';
import { type CursorContent, openCursor, sealCursor } from '../search-execution/page/cursor';

const LIFETIME_MS = 60_000;

/**
 * Returns a signature for one version of the space, with the rights of the caller. It contains who that is, not what the
 * caller may do at present: that is checked when the version is read.
 */
export function signRead(
  keys: readonly Buffer[],
  { space, actor, access }: Pick<RequestContext, 'actor' | 'access'> & { readonly space: Space },
  version: ResourceVersion,
  now = Date.now(),
): string {
  const { user, patient, issuer, grant, scopes } = access ?? {};
  const own = access === undefined ? [] : [access.client, user, patient, issuer, grant, ...(scopes ?? [])];
  const content = [now + LIFETIME_MS, actor, ...own.map((part) => part ?? null)];
  return sealCursor(keys, scopeOf(space, version), content);
}

/** Returns the caller that a signature was made for, with the scopes of that time. Throws `forbidden`. */
export function openSignedRead(
  keys: readonly Buffer[],
  space: Space,
  { version, signature }: SignedRead,
  now = Date.now(),
): Caller {
  const [expires, actor, client, user, patient, issuer, grant, ...scopes] =
    contentOf(keys, scopeOf(space, version), signature) ?? [];
  if (typeof expires !== 'number' || typeof actor !== 'string' || expires < now) throw refusedSignature();
  if (typeof client !== 'string') return { actor };
  return {
    actor,
    access: {
      client,
      ...(typeof user === 'string' ? { user } : {}),
      ...(typeof patient === 'string' ? { patient } : {}),
      ...(typeof issuer === 'string' ? { issuer } : {}),
      ...(typeof grant === 'string' ? { grant } : {}),
      scopes: scopes.filter((scope) => typeof scope === 'string'),
      policies: [],
      isAdministrator: false,
      isAuditor: false,
    },
  };
}

/** The same for an unknown space, so that it does not disclose which exist. */
export function refusedSignature(): FhirError {
  return fhirError('forbidden', { reason: 'This address is not valid, or no longer: it is for one minute' });
}

function contentOf(keys: readonly Buffer[], scope: string, signature: string): CursorContent | undefined {
  try {
    return openCursor(keys, scope, signature);
  } catch (error) {
    if (error instanceof FhirError && error.key === 'invalidCursor') return undefined;
    throw error;
  }
}

function scopeOf({ number }: Space, { type, id, versionId }: ResourceVersion): string {
  return JSON.stringify(['read', number, type, id, versionId]);
}
