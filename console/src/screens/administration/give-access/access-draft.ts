/** What the guided path asks for, and what it makes of the answers. */
import type { ClientChanges, NewUser, User, UserChanges } from '../../../api/administration';
import type { UseFormReturnType } from '@mantine/form';
import type { Release } from '../../../place';
import { readScope, toWords } from '../clients/scopes';

export interface AccessDraft {
  readonly way: 'app' | 'program';
  readonly release: Release;
  /** Id of the patient. */
  readonly patient: string;
  /** Id of an app; empty: a new one. */
  readonly client: string;
  readonly name: string;
  /** One a line. */
  readonly redirectUris: string;
  readonly canWrite: boolean;
  /** Id of an account; empty: a new one for the patient. */
  readonly user: string;
  readonly userName: string;
  /** Where the link for the new account is sent; empty: it is shown. */
  readonly email: string;
}

/** What a step of the path shows and changes. */
export interface StepProps {
  readonly form: UseFormReturnType<AccessDraft>;
}

/** The name of a person as a name to sign in with: `Peter James Chalmers` is `peter.james.chalmers`. */
export function suggestName(title: string): string {
  const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return (plain.match(/[a-z0-9]+/g) ?? []).join('.').slice(0, 60);
}

const lettersOf = ({ canWrite }: AccessDraft): string => (canWrite ? 'cruds' : 'rs');

/** An app without a secret, in which people sign in. */
export function newApp(draft: AccessDraft): ClientChanges {
  return {
    name: draft.name.trim(),
    public: true,
    redirectUris: toWords(draft.redirectUris),
    scopes: ['openid', 'fhirUser', 'launch/patient', `patient/*.${lettersOf(draft)}`, 'offline_access'],
  };
}

/** A program with a secret, restricted by a policy. */
export function newProgram(draft: AccessDraft, policy: string): ClientChanges {
  return { name: draft.name.trim(), scopes: [`system/*.${lettersOf(draft)}`], policies: [policy] };
}

/** The account of the patient. */
export function newAccount(draft: AccessDraft, display: string): Omit<NewUser, 'password'> {
  return {
    name: draft.userName.trim(),
    ...(display === '' ? {} : { display }),
    release: draft.release,
    fhirUser: `Patient/${draft.patient}`,
  };
}

/** What an account lacks to open the record of a patient: an identity, or the patient in context. */
export function bindAccount(user: User, patient: string): UserChanges {
  if (user.fhirUser === null) return { fhirUser: `Patient/${patient}` };
  return user.fhirUser === `Patient/${patient}` ? { patient: null } : { patient };
}

/** The patient whose record apps open for an account now; undefined: none, or the person chooses. */
export function patientOf({ fhirUser, patient }: User): string | undefined {
  if (patient !== null) return patient;
  return fhirUser?.startsWith('Patient/') === true ? fhirUser.slice('Patient/'.length) : undefined;
}

export type AccountProblem = 'ownRecord' | 'wrongRelease' | 'otherPatient';

/** Why an account cannot open the record, or what it loses (`otherPatient`). */
export function problemOf(user: User, { patient, release }: AccessDraft): AccountProblem | undefined {
  if (user.release !== 'both' && user.release !== release) return 'wrongRelease';
  const now = patientOf(user);
  if (now === undefined || now === patient) return undefined;
  return user.fhirUser?.startsWith('Patient/') === true ? 'ownRecord' : 'otherPatient';
}

/** Whether a client can see the record of a patient in context. */
export function hasPatientScopes(scopes: readonly string[]): boolean {
  return scopes.some((scope) => readScope(scope)?.context === 'patient');
}
