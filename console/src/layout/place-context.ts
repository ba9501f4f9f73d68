/** The tenant and release that the address names. */
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { isRelease, type Release, type Space } from '../place';

const LAST = 'andiron/last';
const IN_ADDRESS = /^\/w\/([^/]+)(?:\/(?:api\/v1\/(?:fhir|graphql)|console)\/(r4b?)(?=\/|$))?/;
const ADMINISTRATION = '/w/system/console/administration';
const ADMINISTERED = /^\/w\/system\/console\/administration\/([^/]+)/;

/**
 * The space of the address, whose query names the release of screens that have none in their path. What it does not name is
 * that of the last screen of this browser.
 */
export function useSpace(): Space {
  const { pathname, search } = useLocation();
  const last = readLast();
  const [, administered] = ADMINISTERED.exec(pathname) ?? [];
  const [, named, inPath] = IN_ADDRESS.exec(pathname) ?? [];
  const wanted = inPath ?? new URLSearchParams(search).get('release') ?? undefined;
  const tenant = administered ?? named ?? last.tenant;
  const release = isRelease(wanted) ? wanted : last.release;
  useEffect(() => localStorage.setItem(LAST, JSON.stringify({ tenant, release })), [tenant, release]);
  return { tenant, release };
}

/** The space whose session counts on this screen: administration belongs to the tenant `system`, with tokens of R4. */
export function useSessionSpace(): Space {
  const space = useSpace();
  return useLocation().pathname.startsWith(ADMINISTRATION) ? { tenant: 'system', release: 'r4' } : space;
}

function readLast(): Space {
  const first: Space = { tenant: 'system', release: 'r4' };
  const text = localStorage.getItem(LAST);
  if (text === null) return first;
  const { tenant, release } = JSON.parse(text) as { tenant?: unknown; release?: unknown };
  return {
    tenant: typeof tenant === 'string' ? tenant : first.tenant,
    release: typeof release === 'string' && isRelease(release) ? release : first.release,
  };
}

/** The address of the same screen in another release. */
export function inRelease(
  { pathname, search }: Pick<Location, 'pathname' | 'search'>,
  release: Release,
): string {
  const inPath = /^(\/w\/[^/]+\/(?:api\/v1\/fhir|console)\/)r4b?(?=\/|$)/;
  if (inPath.test(pathname)) return pathname.replace(inPath, `$1${release}`);
  const query = new URLSearchParams(search);
  query.set('release', release);
  return `${pathname}?${query.toString()}`;
}
