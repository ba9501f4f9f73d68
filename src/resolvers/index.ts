import 'reflect-metadata';
import { assertInputObjectType, type GraphQLSchema, specifiedDirectives } from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { atomicDirective } from '../schema/atomic';
import { SHAPING_DIRECTIVES } from '../schema/directives';
import {
  fhirTypeSteps,
  type FhirTypes,
  type OwnDefinitions,
  type SchemaDefinitions,
} from '../schema/fhir/index';
import { ExtendedSchema } from '../schema/extended-schema';
import { graftSteps, resourceTypeEnum } from '../schema/graft';
import { setRelease } from '../schema/places';
import { finish, type Steps } from '../schema/steps';
import type { GatewayContext } from './context';
import { setCosts } from './costs';
import { handlers } from './generated';
// In the order in which their fields stand in the schema.
import { SearchResolver } from './search-resolver';
import { ReadResolver } from './read-resolver';
import { OperationResolver } from './operation-resolver';
import { WriteResolver } from './write-resolver';
import { ChangeResolver } from './change-resolver';

/** What the schema of a release was made of. */
const made = new WeakMap<GraphQLSchema, FhirTypes<GatewayContext>>();

/**
 * The executable schema of one release: our own root, with the types and fields that its definitions give. Cost: half a
 * second, and 30 MB.
 */
export function createSchema(definitions: SchemaDefinitions, assumeValid = false): GraphQLSchema {
  return finish(schemaSteps(definitions, assumeValid));
}

/** The same in steps. */
export function* schemaSteps(definitions: SchemaDefinitions, assumeValid = false): Steps<GraphQLSchema> {
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
  yield;
  const generated = yield* fhirTypeSteps(definitions, handlers, patchOperation);
  const { types, query, mutation } = generated;
  const fields = { query, mutation };
  const ofRelease = [resourceTypeEnum(definitions.resourceTypes), ...types];
  const grafted = yield* graftSteps(root, ofRelease, fields, assumeValid);
  yield;
  made.set(grafted, generated);
  return setRelease(setCosts(grafted), definitions.release);
}

/**
 * The schema of a release with the search parameters of one space, from the schema that `createSchema` made. What is the same is
 * shared. Cost: some milliseconds; what it has of its own is made when documents name it.
 */
export function extendSchema(release: GraphQLSchema, definitions: OwnDefinitions): GraphQLSchema {
  const generated = made.get(release);
  if (generated === undefined) throw new Error('the schema of a space is made from that of its release');
  return new ExtendedSchema(release, generated.own(definitions));
}

function refuseTopics(): never {
  throw new Error('subscriptions follow core, and no topics');
}

export { atomicRule } from './changes/atomic-rule';
export { createGatewayContext, type GatewayContext, isGatewayContext, withRequest } from './context';
export { finish, finishInSlices, type Steps } from '../schema/steps';
export { ToldChange } from './change-resolver';
export { ParsedCache } from './parsed-resources';
