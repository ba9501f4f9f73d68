/** The source of profiles. */
import { turns } from '../concurrency/turns';
import type { Space } from '../context';
import { FhirError } from '../errors';
import { composeValueSet } from '../fhir/terminology/compose';
import { listMembers, ValueSetEvaluation, type Member } from '../fhir/terminology/membership';
import { parseCanonical } from '../fhir/terminology/source';
import type { CanonicalResource, TerminologyEnvironment } from '../operation-types/environment';
import { terminologyOf } from '../terminology/terminology-source';
import type { Services } from '../ports';
import { lastChangeOf } from '../storage/read/conformance';

/** The codes of a value set by system. */
export type ListedCodes = readonly (readonly [system: string, codes: readonly string[]])[];

/**
 * The StructureDefinitions that a space can read. All values are plain, so that a thread without a database can send
 * its calls to the main thread.
 */
export interface StructureSource {
  /**
   * Returns a text that changes with each change of the StructureDefinitions, or of the value sets and code systems,
   * that the space can read. Cost: one statement.
   */
  version(space: Space, of: 'structures' | 'terminology'): Promise<string>;
  /**
   * Returns the StructureDefinition of a canonical url (`url` or `url|version`), from the tenant's own space before
   * the base space.
   */
  find(space: Space, canonical: string): Promise<CanonicalResource | undefined>;
  /** The same for a Questionnaire. */
  findQuestionnaire(space: Space, canonical: string): Promise<CanonicalResource | undefined>;
  /** Returns all codes of a value set; undefined when it does not exist or cannot be fully listed. */
  listCodes(space: Space, valueSet: string): Promise<ListedCodes | undefined>;
}

/** Limit on the steps of listing one value set: some 20 ms. */
const MAX_STEPS = 50_000;

/** The functions of a source. They throw storage errors. */
export interface StructureSourceParts {
  terminology(space: Space): TerminologyEnvironment;
  /** See `StructureSource.version`. */
  structuresVersion(space: Space): Promise<string>;
}

export function createStructureSource({
  terminology,
  structuresVersion,
}: StructureSourceParts): StructureSource {
  return {
    version: (space, of) =>
      of === 'structures' ? structuresVersion(space) : terminology(space).terminologyVersion(),
    find(space, canonical) {
      const { url, version } = parseCanonical(canonical);
      return terminology(space).findCanonical('StructureDefinition', url, version);
    },
    findQuestionnaire(space, canonical) {
      const { url, version } = parseCanonical(canonical);
      return terminology(space).findCanonical('Questionnaire', url, version);
    },
    async listCodes(space, canonical) {
      const { url, version } = parseCanonical(canonical);
      const source = terminologyOf(terminology(space));
      const valueSet = await source.findValueSet(url, version);
      if (valueSet === undefined) return undefined;
      try {
        return bySystem(
          await listMembers(
            await composeValueSet(valueSet, source),
            new ValueSetEvaluation({ maxSteps: MAX_STEPS, turns }),
          ),
        );
      } catch (error) {
        if (error instanceof FhirError && (error.key === 'notSupported' || error.key === 'tooCostly'))
          return undefined;
        throw error;
      }
    },
  };
}

function bySystem(members: readonly Member[]): ListedCodes {
  const codes = new Map<string, string[]>();
  for (const { system, code } of members) {
    const list = codes.get(system);
    if (list) list.push(code);
    else codes.set(system, [code]);
  }
  return [...codes];
}

/** Returns the last change of a StructureDefinition that the space can read. Cost: one statement. */
export function structuresVersion(
  { database, definitions }: Pick<Services, 'database' | 'definitions'>,
  space: Space,
): Promise<string> {
  const number = definitions(space.release).typeNumber('StructureDefinition');
  return lastChangeOf(database, space.number, number === undefined ? [] : [number]);
}
