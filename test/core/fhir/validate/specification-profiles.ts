import { loadDefinitions } from '../../../../src/core/fhir/definitions';
import type { Release } from '../../../../src/core/fhir/release';
import type { ResourceProfile } from '../../../../src/core/fhir/validate';
import { checkClaim, collectClaims } from '../../../../src/core/fhir/validate/profile/claims';
import { checkExtensions } from '../../../../src/core/fhir/validate/profile/extensions';
import { ProfileSet } from '../../../../src/core/fhir/validate/profile/profile-set';
import { specificationStructures } from './profile/specification-structures';

/** Checks the profiles of the specification that a resource claims, and the extensions that the specification has. */
export function claimedProfiles(release: Release): ResourceProfile {
  const known = specificationStructures(release);
  const profiles = new ProfileSet({
    definitions: loadDefinitions(release),
    structureDefinition: (canonical) => known.get(canonical.replace(/\|.*/, '')),
  });
  return {
    check(resource, run) {
      for (const claim of collectClaims(resource, profiles.definitions)) {
        for (const url of claim.profiles) {
          const profile = profiles.profile(url);
          if (profile !== undefined) checkClaim(claim, profile, run);
        }
      }
      checkExtensions(resource, run, profiles);
    },
  };
}
