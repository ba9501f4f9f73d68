/** Where profiles come from. */
import { findCanonical } from '../canonical';
import type { Space } from '../context';
import { FhirError } from '../errors';
import { composeValueSet } from '../fhir/terminology/compose';
import { listMembers, Question } from '../fhir/terminology/membership';
import { parseCanonical } from '../fhir/terminology/source';
import type { CodeSystemMemory } from '../operations/code-system-memory';
import type { CanonicalResource } from '../operations/environment';
import { terminologyOf } from '../operations/terminology';
import type { Services } from '../services';
import { lastChangeOf } from '../storage/conformance';
import { createTerminologyEnvironment } from '../terminology-environment';

/** What the codes of a value set are, by system. */
export type ListedCodes = readonly (readonly [system: string, codes: readonly string[]])[];

/**
 * The StructureDefinitions that a space can see. All of it are plain values, so that a thread without a database can ask
 * one that has it.
 */
export interface StructureSource {
  /**
   * A text that is another one after each change of what the space can see of StructureDefinitions, or of value sets and
   * code systems. Cost: one statement.
   */
  version(space: Space, of: 'structures' | 'terminology'): Promise<string>;
  /** The StructureDefinition of a canonical url (`url` or `url|version`), of the space's own before the base ones. */
  find(space: Space, canonical: string): Promise<CanonicalResource | undefined>;
  /** All codes of a value set; undefined when it is not known, or they cannot all be listed. */
  listCodes(space: Space, valueSet: string): Promise<ListedCodes | undefined>;
}

const TYPES = { structures: ['StructureDefinition'], terminology: ['ValueSet', 'CodeSystem'] } as const;
/** Steps of listing one value set: some 20 ms. */
const MAX_STEPS = 50_000;

/** Over the database. Throws what the storage throws. */
export function createStructureSource(services: Services, codeSystems: CodeSystemMemory): StructureSource {
  return {
    version(space, of) {
      const definitions = services.definitions(space.release);
      const types = TYPES[of].flatMap((type) => definitions.typeNumber(type) ?? []);
      return lastChangeOf(services.database, space.number, types);
    },
    find(space, canonical) {
      const { url, version } = parseCanonical(canonical);
      return findCanonical(services, space, 'StructureDefinition', url, version);
    },
    async listCodes(space, canonical) {
      const { url, version } = parseCanonical(canonical);
      const terminology = terminologyOf(createTerminologyEnvironment(services, space, codeSystems));
      const valueSet = await terminology.findValueSet(url, version);
      if (valueSet === undefined) return undefined;
      try {
        const members = listMembers(await composeValueSet(valueSet, terminology), new Question(MAX_STEPS));
        const codes = new Map<string, string[]>();
        for (const { system, code } of members) {
          const list = codes.get(system);
          if (list) list.push(code);
          else codes.set(system, [code]);
        }
        return [...codes];
      } catch (error) {
        if (error instanceof FhirError && (error.key === 'notSupported' || error.key === 'tooCostly'))
          return undefined;
        throw error;
      }
    },
  };
}
