/** The profiles against which a resource is validated, and the loaded ones. */
import type { Finding, ResourceProfile } from '../fhir/validate';

/** Profiles in addition to those in `meta.profile`. */
export interface WantedProfiles {
  /** Canonical urls of profiles for the outermost resource; unresolved ones are errors, those of `meta.profile` warnings. */
  readonly requested: readonly string[];
  /** True: checks every extension with an available definition, not only those that a profile names. */
  readonly everyExtension?: boolean;
}

export interface LoadedProfiles {
  readonly profiles: readonly ResourceProfile[];
  /** Findings for unresolved profiles, at the elements that claim them. */
  readonly findings: readonly Finding[];
}
