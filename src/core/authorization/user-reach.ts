/** The records that scopes of users cover (docs/run/access-rules.md, Scopes). Pure. */
import type { Access } from '../context';
import { isStaff } from './person';
import { PATIENT } from '../fhir/type-names';

/** Types of users whose resource determines the records. */
const BY_RESOURCE: readonly string[] = ['RelatedPerson', 'Person'];

/** The records that `user/` scopes cover. */
export type Reach =
  | { readonly kind: 'tenant' }
  /** The records of these Patients; at least one. */
  | { readonly kind: 'patients'; readonly ids: readonly string[] }
  | { readonly kind: 'nothing'; readonly reason: string };

export function reachOf({ user, userPatients = [] }: Pick<Access, 'user' | 'userPatients'>): Reach {
  if (isStaff(user)) return { kind: 'tenant' };
  const [type = '', id] = user?.split('/') ?? [];
  if (type === PATIENT && id !== undefined) return { kind: 'patients', ids: [id] };
  if (!BY_RESOURCE.includes(type)) return { kind: 'nothing', reason: NO_PERSON };
  return userPatients.length > 0
    ? { kind: 'patients', ids: userPatients }
    : { kind: 'nothing', reason: NO_RECORD };
}

/** Ids of the Patients, at most one, that `patient/` scopes cover. For a RelatedPerson or Person it must be theirs now. */
export function patientInContext({ user, patient, userPatients = [] }: Access): readonly string[] {
  if (patient === undefined) return [];
  const [type = ''] = user?.split('/') ?? [];
  return BY_RESOURCE.includes(type) && !userPatients.includes(patient) ? [] : [patient];
}

const NO_PERSON =
  'The user/ scopes of this token grant nothing: they need a fhirUser that is a Practitioner, PractitionerRole, Patient, RelatedPerson or Person of these data';
const NO_RECORD =
  'The user/ scopes of this token grant nothing: its RelatedPerson or Person reaches no Patient now. A RelatedPerson must be active and within its period; a Person needs a link to a Patient with assurance level3 or level4';
