/** A user account as it is edited in a form. */
import type { ReleaseScope, User, UserChanges } from '../../../api/administration';

/** Types of records that a person can be, as the server allows. */
export const PERSON_TYPES = [
  'Practitioner',
  'PractitionerRole',
  'Patient',
  'RelatedPerson',
  'Person',
] as const;

export interface UserDraft {
  readonly name: string;
  readonly display: string;
  readonly release: ReleaseScope;
  /** Type of the person's record; empty: the person has none. */
  readonly type: string;
  readonly id: string;
  /** Id of the patient in context; empty: none. */
  readonly patient: string;
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
}

export function newUserDraft(release: ReleaseScope): UserDraft {
  return {
    name: '',
    display: '',
    release,
    type: 'Practitioner',
    id: '',
    patient: '',
    isAdministrator: false,
    isAuditor: false,
  };
}

export function userDraftOf(user: User): UserDraft {
  const [type = '', id = ''] = (user.fhirUser ?? '').split('/');
  return {
    name: user.name,
    display: user.display,
    release: user.release,
    type,
    id,
    patient: user.patient ?? '',
    isAdministrator: user.administrator === true,
    isAuditor: user.auditor === true,
  };
}

/** What the server stores of a draft. Rights are sent where they change, because not every server has them. */
export function userChangesOf(draft: UserDraft, before?: User): UserChanges & { name: string } {
  const { type, id, isAdministrator, isAuditor } = draft;
  return {
    name: draft.name.trim(),
    ...(draft.display.trim() === '' && before === undefined ? {} : { display: draft.display.trim() }),
    release: draft.release,
    fhirUser: type === '' || id === '' ? null : `${type}/${id}`,
    patient: draft.patient === '' ? null : draft.patient,
    ...(isAdministrator === (before?.administrator ?? false) ? {} : { administrator: isAdministrator }),
    ...(isAuditor === (before?.auditor ?? false) ? {} : { auditor: isAuditor }),
  };
}

/** The release in which ids of a draft are looked up. */
export function lookupRelease(release: ReleaseScope): 'r4' | 'r4b' {
  return release === 'r4b' ? 'r4b' : 'r4';
}

/** Whether a change signs the person out. */
export function endsSessions(draft: UserDraft, before: User): boolean {
  const { fhirUser, patient, release } = userChangesOf(draft, before);
  return fhirUser !== before.fhirUser || patient !== before.patient || release !== before.release;
}
