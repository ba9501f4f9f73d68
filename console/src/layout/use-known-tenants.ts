import { useQuery } from '@tanstack/react-query';
import { listTenants } from '../api/administration';
import { knownTenants, signedInRelease } from '../api/session';
import { ADMINISTRATION, PREFIX, tenantPath, type Space } from '../place';
import { usePerson } from './use-person';

/** A tenant that the person may enter. */
export interface KnownTenant {
  readonly name: string;
  /** The name for people. */
  readonly display: string;
}

/** Another tenant is another page, so that nothing of this one stays: no form, no answer, no query. */
export const addressOfTenant = (tenant: string): string => `${PREFIX}${tenantPath(tenant)}`;

/** The operator has all of the server; everybody else those where this browser was signed in. */
export function useKnownTenants(here: Space): readonly KnownTenant[] {
  const operator = usePerson(ADMINISTRATION);
  const person = usePerson({ ...here, release: signedInRelease(here.tenant, here.release) });
  const all = useQuery({
    queryKey: ['tenants', operator?.name],
    queryFn: listTenants,
    // A server in open mode tells them to everybody on its machine.
    enabled: operator?.isAdministrator ?? person === undefined,
    retry: false,
  });
  return all.data ?? knownTenants().map((name) => ({ name, display: name }));
}
