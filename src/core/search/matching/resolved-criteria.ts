import { type Criterion } from '../predicate';

/** True if no criterion depends on stored data that must be read first; scans count as such. */
export function isResolved(criteria: readonly Criterion[]): boolean {
  return criteria.every(({ anyOf }) =>
    anyOf.every((predicate) => {
      switch (predicate.index) {
        case 'target':
          return isResolved(predicate.target.criteria);
        case 'source':
          return isResolved(predicate.source.criteria);
        case 'all':
          return isResolved(predicate.criteria);
        case 'reference':
          return predicate.bareId === undefined;
        case 'canonical':
        case 'valueSet':
        case 'subsumption':
        case 'hierarchy':
        case 'currentList':
        case 'scan':
          return false;
        default:
          return true;
      }
    }),
  );
}

/** The types whose resources determine the matches of resolved criteria: that of the search, and those of chains. */
export function decidingTypes(type: number, criteria: readonly Criterion[]): number[] {
  const types = new Set([type]);
  const add = (of: readonly Criterion[]): void => {
    for (const { anyOf } of of)
      for (const predicate of anyOf) {
        if (predicate.index === 'all') add(predicate.criteria);
        const within =
          predicate.index === 'target'
            ? predicate.target
            : predicate.index === 'source'
              ? predicate.source
              : undefined;
        if (within === undefined) continue;
        types.add(within.type);
        add(within.criteria);
      }
  };
  add(criteria);
  return [...types];
}
