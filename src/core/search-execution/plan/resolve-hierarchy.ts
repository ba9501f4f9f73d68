import { fhirError } from '../../errors';
import type { PendingPredicate, Predicate } from '../../search/predicate';
import type { Services } from '../../ports';
import { findMembers } from '../../storage/search/hierarchy';

/** Maximum number of members of one hierarchy in a search. */
const MAX_MEMBERS = 10_000;

/**
 * `:above` and `:below` of references: references to the members of the hierarchy. Cost: one statement.
 * Throws tooCostly for more than 10,000 of them.
 */
export async function resolveHierarchy(
  { database }: Pick<Services, 'database'>,
  space: number,
  hierarchy: Extract<PendingPredicate, { index: 'hierarchy' }>,
): Promise<Predicate[]> {
  const { relation, parameters, type: targetType } = hierarchy;
  const targets = await findMembers(database, space, { relation, hierarchy, limit: MAX_MEMBERS + 1 });
  if (targets.length > MAX_MEMBERS) {
    const reason = `More than ${MAX_MEMBERS} resources are ${relation} the named one, which is the limit`;
    throw fhirError('tooCostly', { reason });
  }
  // Independent of their number, since the order of a search must not change from page to page.
  return parameters.map((parameter) => ({ index: 'references', parameter, targets, targetType }));
}
