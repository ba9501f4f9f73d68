import type { GraphQLSchema } from 'graphql';
import type { Condition } from './condition';

/** Name of the input type of `search`, with a `where` of each type. */
export const SEARCH_WHERE = 'SearchWhere';

/** Conditions on the resources of a type. */
export interface TypeConditions {
  readonly type: string;
  readonly where: readonly Condition[];
}

/** Returns the conditions of a value of `SearchWhere` of a schema; undefined for any other value. */
export function conditionsOf(schema: GraphQLSchema, given: unknown): TypeConditions | undefined {
  const read = schema.getType(SEARCH_WHERE)?.extensions['conditions'] as
    ((given: unknown) => TypeConditions | undefined) | undefined;
  return read?.(given);
}
