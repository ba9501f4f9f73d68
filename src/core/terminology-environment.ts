import { findCanonical } from './canonical';
import type { Space } from './context';
import { definitionsDigest } from './fhir/definitions';
import type { CodeSystemMemory } from './operations/code-system-memory';
import type { OperationStorage, TerminologyEnvironment } from './operations/environment';
import type { Services } from './services';
import { lastChangeOf } from './storage/conformance';

/** The value sets and code systems that a space can see. */
export function createTerminologyEnvironment(
  services: Services,
  space: Space,
  codeSystems: CodeSystemMemory,
): TerminologyEnvironment {
  return { codeSystems, ...createTerminologyStorage(services, space) };
}

/** What storage knows of them. */
export function createTerminologyStorage(
  services: Services,
  space: Space,
): Pick<OperationStorage, 'findCanonical' | 'terminologyVersion'> {
  return {
    findCanonical: (type, url, version) => findCanonical(services, space, type, url, version),
    async terminologyVersion() {
      const definitions = services.definitions(space.release);
      const types = ['ValueSet', 'CodeSystem'].flatMap((type) => definitions.typeNumber(type) ?? []);
      const last = await lastChangeOf(services.database, space.number, types);
      return `${definitionsDigest(space.release)} ${last}`;
    },
  };
}
