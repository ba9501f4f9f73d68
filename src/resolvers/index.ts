import 'reflect-metadata';
import { assertInputObjectType, type GraphQLSchema, specifiedDirectives } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { atomicDirective } from '../schema/atomic';
import { SHAPING_DIRECTIVES } from '../schema/directives';
import { createFhirTypes, type SchemaDefinitions } from '../schema/fhir/index';
import { graft, resourceTypeEnum } from '../schema/graft';
import { setRelease } from '../schema/places';
import { setCosts } from './costs';
import { handlers } from './generated';
// In the order in which their fields stand in the schema.
import { SearchResolver } from './search-resolver';
import { ReadResolver } from './read-resolver';
import { OperationResolver } from './operation-resolver';
import { WriteResolver } from './write-resolver';
import { ChangeResolver } from './change-resolver';

/**
 * The executable schema of one release: our own root, with the types and fields that its definitions give. Cost: half a
 * second, and 30 MB.
 */
export function createSchema(definitions: SchemaDefinitions, assumeValid = false): GraphQLSchema {
  const root = buildSchemaSync({
    resolvers: [SearchResolver, ReadResolver, OperationResolver, WriteResolver, ChangeResolver],
    directives: [...specifiedDirectives, atomicDirective, ...SHAPING_DIRECTIVES],
    // type-graphql wants one for any subscription; ours follow core.
    pubSub: { publish: refuseTopics, subscribe: refuseTopics },
    // Arguments are checked by graphql and by core; class-validator is not installed.
    validate: false,
    // A test validates the schema; at every start that would be time lost.
    skipCheck: true,
  });
  const patchOperation = assertInputObjectType(root.getType('JsonPatchOperation'));
  const { types, query, mutation } = createFhirTypes(definitions, handlers, patchOperation);
  const fields = { query, mutation };
  const grafted = graft(root, [resourceTypeEnum(definitions.resourceTypes), ...types], fields, assumeValid);
  return setRelease(setCosts(grafted), definitions.release);
}

function refuseTopics(): never {
  throw new Error('subscriptions follow core, and no topics');
}

export { atomicRule } from './changes/atomic-rule';
export { createGatewayContext, type GatewayContext, isGatewayContext, withRequest } from './context';
export { ToldChange } from './change-resolver';
export { ParsedMemory } from './parsed-resources';
