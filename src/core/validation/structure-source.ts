/** Where profiles come from. */
import type { Space } from '../context';
import { FhirError } from '../errors';
import { composeValueSet } from '../fhir/terminology/compose';
import { listMembers, Question, type Member } from '../fhir/terminology/membership';
import { parseCanonical } from '../fhir/terminology/source';
import type { CanonicalResource, TerminologyEnvironment } from '../operations/environment';
import { terminologyOf } from '../operations/terminology';
import type { Services } from '../ports';
import { lastChangeOf } from '../storage/read/conformance';

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

/** Steps of listing one value set: some 20 ms. */
const MAX_STEPS = 50_000;

/** What a source is made of. All of it throws what the storage throws. */
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
    async listCodes(space, canonical) {
      const { url, version } = parseCanonical(canonical);
      const source = terminologyOf(terminology(space));
      const valueSet = await source.findValueSet(url, version);
      if (valueSet === undefined) return undefined;
      try {
        return bySystem(await listMembers(await composeValueSet(valueSet, source), new Question(MAX_STEPS)));
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

/** The last change of a StructureDefinition that the space can see. Cost: one statement. */
export function structuresVersion(
  { database, definitions }: Pick<Services, 'database' | 'definitions'>,
  space: Space,
): Promise<string> {
  const number = definitions(space.release).typeNumber('StructureDefinition');
  return lastChangeOf(database, space.number, number === undefined ? [] : [number]);
}
