import type { Release } from '../fhir/release';

/** Who a sign-in is about, written down by whoever finds it out: it is told whatever comes of it (recorded-sign-ins.ts). */
export interface SignInTrail {
  /** Id of a ClientApplication that there is. */
  client?: string;
  /** Relative reference to the person, or the id of an account that is nobody's in FHIR. */
  person?: string;
  /** Of whose data the person is. */
  release?: Release;
}

interface Somebody {
  readonly account: string;
  readonly fhirUser: string | null;
  readonly release: Release;
}

export function tell(trail: SignInTrail | undefined, { account, fhirUser, release }: Somebody): void {
  if (trail === undefined) return;
  trail.person = fhirUser ?? account;
  trail.release = release;
}
