/** Which profiles a resource is checked against, and which of them there are. */
import type { Finding, FindingSeverity, ResourceProfile } from '../fhir/validate';

/** Which profiles count, besides those that are claimed in `meta.profile`. */
export interface WantedProfiles {
  /** Canonical urls that the outermost resource is to be checked against; an error where one cannot be resolved. */
  readonly asked: readonly string[];
  /** What it is that a claimed profile cannot be resolved. */
  readonly unresolved: Extract<FindingSeverity, 'error' | 'warning'>;
  /** True: every extension in the resource whose definition is known is checked, not only those that a profile names. */
  readonly everyExtension?: boolean;
}

export interface LoadedProfiles {
  readonly profiles: readonly ResourceProfile[];
  /** Profiles that could not be resolved, at the places where they are claimed. */
  readonly findings: readonly Finding[];
}
