/** The permission of a scope, or of a rule of a policy, for a right and a type. */
import { allOf, oneOf } from '../search/criteria/connectives';
import type { Criterion } from '../search/predicate';

/** Name of the criteria that authorization adds to those of the request. */
export const ACCESS = 'access';

export interface Grant {
  /** A resource must meet all of them; empty: no condition. */
  readonly criteria: readonly Criterion[];
  /** Ids of the Patients to whose records it is bound (ownership.ts); undefined: it is bound to none. */
  readonly patients?: readonly string[] | undefined;
}

/** Grants of which one must allow the interaction: those of the scopes, or those of the policies. */
export type GrantSide = readonly Grant[];

/** Criteria that one of the grants is met. Null: there is none. */
export function conditionsOf(grants: GrantSide): readonly Criterion[] | null {
  const [only, ...others] = grants;
  if (only === undefined) return null;
  if (grants.some(({ criteria }) => criteria.length === 0)) return [];
  if (others.length === 0) return only.criteria.map((criterion) => ({ ...criterion, name: ACCESS }));
  return [{ ...oneOf(grants.map(({ criteria }) => allOf(criteria))), name: ACCESS }];
}

/** True where a grant of the side is bound to patients, and none without conditions makes that irrelevant. */
export function isBound(grants: GrantSide): boolean {
  return (
    grants.some(({ patients }) => patients !== undefined) &&
    !grants.some(({ patients, criteria }) => patients === undefined && criteria.length === 0)
  );
}
