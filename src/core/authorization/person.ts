/** The users that accounts and tokens name by `fhirUser`. */
import type { TenantSpace } from '../context';
import { parseReference } from '../fhir/reference';
import { toRoot } from '../api/tenant-address';

/** https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html */
export const PERSON_TYPES: readonly string[] = [
  'Practitioner',
  'PractitionerRole',
  'Patient',
  'RelatedPerson',
  'Person',
];
/** Types whose `user/` scopes cover the whole tenant. */
const STAFF: readonly string[] = ['Practitioner', 'PractitionerRole'];

/** True if the reference is to a member of the tenant's staff. */
export function isStaff(user: string | undefined): boolean {
  return user !== undefined && STAFF.includes(user.slice(0, user.indexOf('/')));
}

/**
 * The relative reference of a `fhirUser`. It must refer to a person of this tenant and release: relative or absolute, with
 * or without a version. Undefined: it is invalid. Cost: about a microsecond.
 *
 * @param publicUrls public addresses of the server; empty: any base with the path of this tenant and release is accepted
 */
export function readPerson(
  text: string,
  { tenant, release }: Pick<TenantSpace, 'tenant' | 'release'>,
  publicUrls: readonly string[],
): string | undefined {
  const { kind, type = '', id, base } = parseReference(text);
  if (id === undefined || !PERSON_TYPES.includes(type)) return undefined;
  if (kind === 'relative') return `${type}/${id}`;
  if (kind !== 'absolute' || base === undefined) return undefined;
  const isOurs =
    publicUrls.length === 0
      ? base.endsWith(toRoot({ base: '', tenant }, release))
      : publicUrls.some((url) => base === toRoot({ base: url, tenant }, release));
  return isOurs ? `${type}/${id}` : undefined;
}
