import type { IncomingHttpHeaders } from 'node:http';
import { fhirError, type Core, type RequestContext, type StoredVersion, type VersionGuard } from '../../core';
import { parseEntityTags } from '../responses/entity-tag';

/**
 * True when the client has this version already, so that the response is 304 (https://hl7.org/fhir/R4/http.html#cread).
 * `If-None-Match` overrides `If-Modified-Since` (RFC 9110, 13.1.3), which compares whole seconds.
 */
export function isUnchanged(headers: IncomingHttpHeaders, version: StoredVersion): boolean {
  const ifNoneMatch = headers['if-none-match'];
  if (ifNoneMatch !== undefined) {
    const tags = parseEntityTags(ifNoneMatch);
    return tags === '*' || (tags !== undefined && tags.includes(String(version.versionId)));
  }
  const since = headers['if-modified-since'];
  if (since === undefined) return false;
  const instant = Date.parse(since);
  return !Number.isNaN(instant) && Math.floor(version.lastUpdated / 1000) * 1000 <= instant;
}

/**
 * Returns the conditions of a write on the current version; a patch by GET ignores If-None-Match. An unsupported
 * condition is refused, never ignored: `invalidValue` for a malformed one, `notSupported` for If-Unmodified-Since and
 * for If-None-Match other than `*` on a PUT. `If-Match: *` becomes the version that is current now; it throws
 * `preconditionFailed` when there is none.
 */
export async function readGuard(
  core: Core,
  context: RequestContext,
  request: { readonly method: string; readonly headers: IncomingHttpHeaders },
  { type, id }: { readonly type: string; readonly id: string },
): Promise<VersionGuard | undefined> {
  const guard = readGuardOfMatch(request);
  if (guard?.ifMatch?.includes('*') !== true) return guard;
  return { ...guard, ifMatch: [await currentVersionId(core, context, type, id)] };
}

/**
 * Returns the same conditions for a resource that criteria select later: `If-Match: *` stays the condition that it
 * exists.
 */
export function readGuardOfMatch({
  method,
  headers,
}: {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}): VersionGuard | undefined {
  const ifMatch = headers['if-match'];
  const ifNoneMatch = method === 'GET' ? undefined : headers['if-none-match'];
  if (headers['if-unmodified-since'] !== undefined) {
    throw fhirError('notSupported', {
      reason: 'If-Unmodified-Since is not supported; use If-Match with the ETag',
    });
  }
  if (ifNoneMatch !== undefined && (method !== 'PUT' || parseEntityTags(ifNoneMatch) !== '*')) {
    throw fhirError('notSupported', {
      reason: 'If-None-Match guards a write only as * on a PUT; use If-Match',
    });
  }
  if (ifMatch === undefined) return ifNoneMatch === undefined ? undefined : { ifNoneMatchAny: true };
  const tags = parseEntityTags(ifMatch);
  if (tags === undefined) {
    throw fhirError('invalidValue', { reason: 'If-Match is not a list of entity tags such as W/"3"' });
  }
  return {
    ifMatch: tags === '*' ? ['*'] : tags,
    ...(ifNoneMatch === undefined ? {} : { ifNoneMatchAny: true }),
  };
}

async function currentVersionId(
  core: Core,
  context: RequestContext,
  type: string,
  id: string,
): Promise<string> {
  const version = await core.interactions.find(context, type, id);
  if (version !== undefined) return String(version.versionId);
  throw fhirError('preconditionFailed', {
    reason: `If-Match: * needs ${type}/${id} to exist, and it does not`,
  });
}
