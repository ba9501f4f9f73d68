import type { ConceptStorage } from '../../src/core/fhir/terminology/concept-set';

const nothing = () => Promise.resolve([]);

/** A space without large code systems. */
export const NO_CONCEPTS: ConceptStorage = {
  findConceptSet: () => Promise.resolve(undefined),
  readConcepts: nothing,
  listConcepts: nothing,
  scanConcepts: nothing,
  findConcepts: nothing,
  findSubsumed: nothing,
};
