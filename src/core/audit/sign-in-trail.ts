import type { Release, ReleaseScope } from '../fhir/release';

/**
 * The subject of a sign-in. The code that identifies the client or person fills it in, so that failed sign-ins are
 * recorded with it too (recorded-sign-ins.ts).
 */
export interface SignInTrail {
  /** Id of an existing ClientApplication. */
  client?: string;
  /** Relative reference to the person, or the id of an account without a resource in FHIR. */
  person?: string;
  /** The release of the person's data; undefined: both. */
  release?: Release;
}

interface Somebody {
  readonly account: string;
  readonly fhirUser: string | null;
  readonly release: ReleaseScope;
}

export function noteAccount(trail: SignInTrail | undefined, { account, fhirUser, release }: Somebody): void {
  if (trail === undefined) return;
  trail.person = fhirUser ?? account;
  if (release !== 'both') trail.release = release;
}
