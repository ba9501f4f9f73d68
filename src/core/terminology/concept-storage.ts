/** The concepts of the large code systems of a space. */
import type { Space } from '../context';
import type { ConceptCriteria, ConceptKey, ConceptStorage } from '../fhir/terminology/concept-set';
import type { Hasher } from '../search/rows/hash';
import type { Services } from '../ports';
import {
  findConcepts,
  findConceptSet,
  findSubsumed,
  type HashedCriteria,
  listConcepts,
  readConcepts,
  scanConcepts,
} from '../storage/terminology/concepts';
import { keyText } from '../storage/read/version-row';

/** A key that all concepts of a set have, so that words are looked for in no other set. No code is empty. */
export const OF_SET: ConceptKey = { below: '' };

/**
 * They are read in the snapshot or transaction of the caller, which has a connection already: as many callers as there are connections
 * would wait for a second one for ever.
 */
export function createConceptStorage(
  { database, hasher }: Pick<Services, 'database' | 'hasher'>,
  { number: space }: Space,
): ConceptStorage {
  const hashed = (set: number, criteria: ConceptCriteria): HashedCriteria => ({
    keys: criteria.keys.map((key) => hashConceptKey(hasher, space, set, key)),
    words: criteria.words,
    isActive: criteria.isActive === true,
    isSelectable: criteria.isSelectable === true,
    isTop: criteria.isTop === true,
  });
  return {
    findConceptSet: (number) => findConceptSet(database, space, number),
    readConcepts: (set, folded) => readConcepts(database, { space, set }, folded),
    listConcepts: (set, numbers) => listConcepts(database, { space, set }, numbers),
    scanConcepts: (set, criteria, range) =>
      scanConcepts(database, { space, set }, hashed(set, criteria), range),
    findConcepts(set, criteria, limit) {
      const keys = criteria.keys.length === 0 ? [OF_SET] : criteria.keys;
      return findConcepts(database, { space, set }, hashed(set, { ...criteria, keys }), limit);
    },
    findSubsumed: (set, codes, limit) => findSubsumed(database, { space, set }, codes, limit),
  };
}

/** Returns the hash of a key in `concept.keys`. */
export function hashConceptKey(hasher: Hasher, space: number, set: number, key: ConceptKey): string {
  const of = `${space} ${set}`;
  const high =
    'below' in key ? hasher.parts(of, undefined, key.below) : hasher.parts(of, key.property, key.value);
  return keyText({ high, low: hasher.low });
}
