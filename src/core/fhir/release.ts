/** The FHIR releases that the server supports. A further one needs a definitions file and entries in this file. */
export type Release = 'r4' | 'r4b';

export interface ReleaseInfo {
  /** The path segment, and the name of the definitions file. */
  readonly name: Release;
  /** `CapabilityStatement.fhirVersion`. */
  readonly fhirVersion: string;
  /** Value of the media-type parameter `fhirVersion` for this release (http.html#version-parameter). */
  readonly mimeVersion: string;
  /** The space that holds the base conformance resources of this release; the same in every database. */
  readonly baseSpace: number;
}

export const RELEASES: Readonly<Record<Release, ReleaseInfo>> = Object.freeze({
  r4: { name: 'r4', fhirVersion: '4.0.1', mimeVersion: '4.0', baseSpace: 1 },
  r4b: { name: 'r4b', fhirVersion: '4.3.0', mimeVersion: '4.3', baseSpace: 2 },
});

export const RELEASE_NAMES: readonly Release[] = ['r4', 'r4b'];

export function isRelease(name: string): name is Release {
  return name === 'r4' || name === 'r4b';
}

/** The release whose ids an account or an issuer refers to, or both releases. */
export type ReleaseScope = Release | 'both';

export function isReleaseScope(name: string): name is ReleaseScope {
  return name === 'both' || isRelease(name);
}

export function coversRelease(scope: ReleaseScope, release: Release): boolean {
  return scope === 'both' || scope === release;
}
