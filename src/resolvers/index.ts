import 'reflect-metadata';
import { type GraphQLSchema, specifiedDirectives } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { atomicDirective } from '../schema/atomic';
import { SHAPING_DIRECTIVES } from '../schema/directives';
import { graft, resourceTypeEnum } from '../schema/graft';
// In the order in which their fields stand in the schema.
import { SearchResolver } from './search-resolver';
import { ReadResolver } from './read-resolver';
import { OperationResolver } from './operation-resolver';
import { WriteResolver } from './write-resolver';

/**
 * The executable schema of one release.
 *
 * @param resourceTypes the names of its concrete resource types, sorted
 */
export function createSchema(resourceTypes: readonly string[]): GraphQLSchema {
  const root = buildSchemaSync({
    resolvers: [SearchResolver, ReadResolver, OperationResolver, WriteResolver],
    directives: [...specifiedDirectives, atomicDirective, ...SHAPING_DIRECTIVES],
    // Arguments are checked by graphql and by core; class-validator is not installed.
    validate: false,
    // A test validates the schema; at every start that would be time lost.
    skipCheck: true,
  });
  return graft(root, [resourceTypeEnum(resourceTypes)]);
}

export { atomicRule } from './changes/atomic-rule';
export { createGatewayContext, type GatewayContext } from './context';
