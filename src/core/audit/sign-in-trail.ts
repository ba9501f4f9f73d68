import { type SignInTrail } from '../api/sign-in';
import type { ReleaseScope } from '../fhir/release';

/** The steps of forms in which a person signs in: the password, a code, the first code of a new second factor. */
export const SIGN_IN_STEPS: readonly string[] = ['sign-in', 'code', 'enrol'];

interface SignedInAccount {
  readonly account: string;
  readonly fhirUser: string | null;
  readonly release: ReleaseScope;
}

export function noteAccount(
  trail: SignInTrail | undefined,
  { account, fhirUser, release }: SignedInAccount,
): void {
  if (trail === undefined) return;
  trail.person = fhirUser ?? account;
  if (release !== 'both') trail.release = release;
}
