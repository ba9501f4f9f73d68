import type { Criterion } from '../predicate';

/** True where a criterion needs a scan of resources without an index, at any depth of chains. */
export function hasScan({ anyOf }: Criterion): boolean {
  return anyOf.some((predicate) => {
    switch (predicate.index) {
      case 'scan':
        return true;
      case 'target':
        return predicate.target.criteria.some(hasScan);
      case 'source':
        return predicate.source.criteria.some(hasScan);
      case 'all':
        return predicate.criteria.some(hasScan);
      default:
        return false;
    }
  });
}
