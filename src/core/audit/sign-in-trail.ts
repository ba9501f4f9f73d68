import { type SignInTrail } from '../api/sign-in';
import type { ReleaseScope } from '../fhir/release';

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
