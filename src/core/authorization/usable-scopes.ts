import type { SearchTypeContext } from '../search/types/search-type';
import type { Access } from '../context';
import { Permissions } from './permissions';
import { typesBySetting } from './referenced';

/** Stands for the Patient of a person where it is not certain yet which one. */
export const ANY_PATIENT = 'any';

/**
 * Returns those of the scopes that can ever allow something in a space: not those of unknown types or search parameters,
 * nor those that reach no record. Policies do not count, because they may change.
 *
 * @param full with all search parameters of the space
 * @param holder whose scopes they are; a Patient in context stands for any
 */
export function usableScopes(
  full: SearchTypeContext,
  holder: Pick<Access, 'user' | 'userPatients' | 'patient' | 'isAdministrator' | 'isAuditor'>,
  scopes: readonly string[],
): readonly string[] {
  const access: Access = { client: '', ...holder, scopes, policies: [] };
  const permissions = new Permissions(access, '', full, {
    policies: [],
    openedTypes: typesBySetting(full.definitions),
  });
  return scopes.filter((scope) => permissions.isUsable(scope));
}
