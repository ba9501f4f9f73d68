import { findCanonical, findCanonicalKey, listCanonicalVersions } from '../conformance/canonical';
import type { Space } from '../context';
import { definitionsDigest } from '../fhir/definitions';
import type { TerminologyEnvironment, TerminologyStorage } from '../operation-types/environment';
import type { SearchServices } from '../ports';
import { lastChangeOf } from '../storage/read/conformance';
import { createConceptStorage } from './concept-storage';
import { findSystemOfValueSet } from './value-set-systems';

/** The value sets and code systems that a space can see. */
export function createTerminologyEnvironment(services: SearchServices, space: Space): TerminologyEnvironment {
  return { codeSystems: services.codeSystems, ...createTerminologyStorage(services, space) };
}

/** The part of the environment that reads storage. */
export function createTerminologyStorage(services: SearchServices, space: Space): TerminologyStorage {
  return {
    ...createConceptStorage(services, space),
    findCanonical: (type, url, version) => findCanonical(services, space, { type, url, version }),
    findCanonicalKey: (type, url, version) => findCanonicalKey(services, space, { type, url, version }),
    listCanonicalVersions: (type, url) => listCanonicalVersions(services, space, { type, url }),
    findSystemOfValueSet: (url) => findSystemOfValueSet(services, space, url),
    async terminologyVersion() {
      const definitions = services.definitions(space.release);
      const types = ['ValueSet', 'CodeSystem'].flatMap((type) => definitions.typeNumber(type) ?? []);
      const last = await lastChangeOf(services.database, space.number, types);
      return `${definitionsDigest(space.release)} ${last}`;
    },
  };
}
