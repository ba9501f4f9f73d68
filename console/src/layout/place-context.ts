/** The tenant and release that the address names. */
import { useLocation } from 'react-router';
import { isRelease, type Release, type Space } from '../place';

const LAST = 'andiron/last';
const IN_ADDRESS = /^\/w\/([^/]+)(?:\/(?:api\/v1\/(?:fhir|graphql)|console)\/(r4b?)(?=\/|$))?/;
const ADMINISTERED = /^\/w\/system\/console\/administration\/([^/]+)/;

/** The space of the address; where it names none, that of the last screen of this browser, or the first one of a server. */
export function useSpace(): Space {
  const { pathname } = useLocation();
  const last = readLast();
  const [, administered] = ADMINISTERED.exec(pathname) ?? [];
  const [, named, release] = IN_ADDRESS.exec(pathname) ?? [];
  const tenant = administered ?? named ?? last.tenant;
  const space: Space = { tenant, release: isRelease(release) ? release : last.release };
  localStorage.setItem(LAST, JSON.stringify(space));
  return space;
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

/** The path of the same screen in another release. */
export function inRelease(pathname: string, release: Release): string {
  return pathname.replace(/^(\/w\/[^/]+\/(?:api\/v1\/fhir|console)\/)r4b?(?=\/|$)/, `$1${release}`);
}
