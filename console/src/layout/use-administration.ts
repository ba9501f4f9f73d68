import { useContext } from 'react';
import { signedInRelease } from '../api/session';
import { ADMINISTRATION, isSignInNeeded, operatorPath, ownAdministrationPath, type Space } from '../place';
import { CurrentScreen } from './current-screen';
import { usePerson } from './use-person';

/**
 * Path of the administration that a person has from a tenant: the operator's, or that of the tenant itself. It is the
 * operator's also where nobody has signed in to a server in open mode, which asks for nothing. Undefined: none, or the
 * person must sign in first.
 */
export function useAdministrationPath({ tenant, release }: Space): string | undefined {
  const operator = usePerson(ADMINISTRATION);
  const person = usePerson({ tenant, release: signedInRelease(tenant, release) });
  if (operator?.isAdministrator === true) return operatorPath(tenant);
  if (person === undefined) return isSignInNeeded() ? undefined : operatorPath(tenant);
  return person.isAdministrator ? ownAdministrationPath(tenant) : undefined;
}

/** Whether the screen is one of the operator's, who may do more than the administrator of a tenant. */
export function useIsOperator(): boolean {
  const { screen } = useContext(CurrentScreen);
  return screen?.session?.(ADMINISTRATION) === ADMINISTRATION;
}
