import { RELEASE_NAMES, type Core, type RequestContext } from '../core';
import type { PackageManifest } from './package-file';
import { recordedVersions } from './package-record';

/** True for the packages of FHIR itself, whose definitions every tenant can read: `hl7.fhir.r4.core`. */
export function isOfSpecification(name: string): boolean {
  return RELEASE_NAMES.some((release) => name.startsWith(`hl7.fhir.${release}.`));
}

/** A package that another one needs, and the tenant does not have in this version. */
export interface MissingPackage {
  readonly name: string;
  readonly version: string;
  /** The versions that the tenant has. */
  readonly present: readonly string[];
}

/**
 * Returns the packages that a package needs and that were not imported into the tenant. Packages of FHIR itself do not
 * count. Cost: one search for each dependency.
 */
export async function missingPackages(
  core: Core,
  context: RequestContext,
  { dependencies }: PackageManifest,
): Promise<readonly MissingPackage[]> {
  const missing: MissingPackage[] = [];
  for (const [name, version] of dependencies) {
    if (isOfSpecification(name)) continue;
    const present = await recordedVersions(core, context, name);
    if (!present.some((each) => fitsVersion(each, version))) missing.push({ name, version, present });
  }
  return missing;
}

/** True if a version is the needed one, which may be `6.5.0`, `6.5.x`, `current`, `dev` or `latest`. */
export function fitsVersion(version: string, needed: string): boolean {
  if (needed === 'current' || needed === 'dev' || needed === 'latest') return true;
  const parts = version.split('.');
  return needed.split('.').every((part, index) => part === 'x' || part === parts[index]);
}
