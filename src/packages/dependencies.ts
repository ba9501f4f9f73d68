import { parseJson, RELEASE_NAMES, type Core, type RequestContext } from '../core';
import { isObject } from './members';
import type { PackageManifest } from './package-file';

/** True for the packages of FHIR itself, whose definitions every tenant can read: `hl7.fhir.r4.core`. */
export function isOfSpecification(name: string): boolean {
  return RELEASE_NAMES.some((release) => name.startsWith(`hl7.fhir.${release}.`));
}

/**
 * Returns the packages that a package needs and the tenant does not have, as `hl7.terminology.r4 6.5.0`. Packages of
 * FHIR itself do not count. A package is present when its ImplementationGuide is.
 * Cost: one search for each 100 guides of the tenant.
 */
export async function missingPackages(
  core: Core,
  context: RequestContext,
  { dependencies }: PackageManifest,
): Promise<readonly string[]> {
  const needed = [...dependencies].filter(([name]) => !isOfSpecification(name));
  if (needed.length === 0) return [];
  const present = await presentPackages(core, context);
  return needed
    .filter(
      ([name, version]) => !present.some((guide) => guide.name === name && fits(guide.version, version)),
    )
    .map(([name, version]) => `${name} ${version}`);
}

interface PresentPackage {
  readonly name: string;
  readonly version: string;
}

async function presentPackages(core: Core, context: RequestContext): Promise<readonly PresentPackage[]> {
  const found: PresentPackage[] = [];
  let next: string | undefined;
  do {
    const parameters: [string, string][] = [['_count', '100']];
    if (next !== undefined) parameters.push(['_cursor', next]);
    const page = await core.search(context, { type: 'ImplementationGuide', parameters });
    for (const { text } of page.matches) {
      const guide = parseJson(text, { maxDepth: Number.MAX_SAFE_INTEGER }).value;
      if (!isObject(guide)) continue;
      const { packageId: name, version } = guide;
      if (typeof name === 'string' && typeof version === 'string') found.push({ name, version });
    }
    next = page.next;
  } while (next !== undefined);
  return found;
}

/** A needed version may be `6.5.0`, `6.5.x`, `current`, `dev` or `latest`. */
function fits(present: string, needed: string): boolean {
  if (needed === 'current' || needed === 'dev' || needed === 'latest') return true;
  const parts = present.split('.');
  return needed.split('.').every((part, index) => part === 'x' || part === parts[index]);
}
