import 'reflect-metadata';
import {
  assertInputObjectType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  specifiedDirectives,
} from 'graphql';
import { buildSchemaSync } from 'type-graphql';
import { atomicDirective } from '../schema/atomic';
import { SHAPING_DIRECTIVES } from '../schema/directives';
import {
  fhirTypeSteps,
  type FhirTypes,
  type OwnDefinitions,
  type OwnTypes,
  type SchemaDefinitions,
} from '../schema/fhir/index';
import { entityFields } from '../schema/fhir/entities';
import { SEARCH_WHERE } from '../schema/fhir/where/any-type';
import { ExtendedSchema } from '../schema/extended-schema';
import { graftSteps, resourceTypeEnum } from '../schema/graft';
import { setRelease } from '../schema/fhir-path-extension';
import { semanticNonNullDirective } from '../schema/semantic-non-null';
import { finish, type Steps } from '../schema/steps';
import type { GatewayContext } from './context';
import { setCosts } from './costs';
import { handlers } from './generated';
// The order of the imports is the order of their fields in the schema.
import { SearchResolver } from './search-resolver';
import { ReadResolver } from './read-resolver';
import { OperationResolver } from './operation-resolver';
import { WriteResolver } from './write-resolver';
import { ChangeResolver } from './change-resolver';
import { SubscriptionResolver } from './subscription-resolver';

/** The generated types of the schema of a release. */
const made = new WeakMap<GraphQLSchema, FhirTypes<GatewayContext>>();

/**
 * Builds the executable schema of one release: the fixed root, with the types and fields from its definitions.
 * Cost: half a second, and 30 MB.
 */
export function createSchema(definitions: SchemaDefinitions, options: SchemaOptions = {}): GraphQLSchema {
  return finish(schemaSteps(definitions, options));
}

export interface SchemaOptions {
  /** True: it is not checked, which saves up to a second. */
  readonly assumeValid?: boolean;
  /** True: it has the fields for a router of Apollo Federation. */
  readonly isSubgraph?: boolean;
}

/** Builds the same schema in steps. */
export function* schemaSteps(
  definitions: SchemaDefinitions,
  { assumeValid = false, isSubgraph = false }: SchemaOptions,
): Steps<GraphQLSchema> {
  const root = buildSchemaSync({
    resolvers: [
      SearchResolver,
      ReadResolver,
      OperationResolver,
      WriteResolver,
      ChangeResolver,
      SubscriptionResolver,
    ],
    directives: [...specifiedDirectives, atomicDirective, ...SHAPING_DIRECTIVES, semanticNonNullDirective],
    // type-graphql requires a `pubSub` for any subscription; these subscriptions read from core.
    pubSub: { publish: refuseTopics, subscribe: refuseTopics },
    // Arguments are checked by graphql and by core; class-validator is not installed.
    validate: false,
    // A test validates the schema; a validation at every start would cost time.
    skipCheck: true,
  });
  const patchOperation = assertInputObjectType(root.getType('JsonPatchOperation'));
  yield;
  const generated = yield* fhirTypeSteps(definitions, handlers, patchOperation);
  const { types, node, query, mutation } = generated;
  const entities = isSubgraph ? entityFields(node, definitions.resourceTypes, handlers) : {};
  const fields = { query: { ...query, ...entities }, mutation };
  const ofRelease = [resourceTypeEnum(definitions.resourceTypes), ...types];
  const grafted = yield* graftSteps(root, ofRelease, fields, assumeValid);
  yield;
  made.set(grafted, generated);
  return setRelease(setCosts(grafted), definitions.release);
}

/**
 * Builds the schema of a release with the search parameters of one space, from the schema of `createSchema`. Both share
 * what is the same.
 * Cost: some milliseconds; the space's own fields are made when a document names them.
 */
export function extendSchema(release: GraphQLSchema, definitions: OwnDefinitions): GraphQLSchema {
  const generated = made.get(release);
  if (generated === undefined) throw new Error('the schema of a space is made from that of its release');
  const { types, query, mutation } = generated.own(definitions);
  const search = (): GraphQLFieldConfig<unknown, GatewayContext> => searchField(release, types);
  return new ExtendedSchema(release, { types, query: new Map([...query, ['search', search]]), mutation });
}

/** Returns the field `search` with the conditions of the space's own search parameters. */
function searchField(
  release: GraphQLSchema,
  types: OwnTypes<GatewayContext>['types'],
): GraphQLFieldConfig<unknown, GatewayContext> {
  const field = release.getQueryType()?.getFields()['search'];
  if (field === undefined) throw new Error('the schema of the release has no field search');
  const { type, description, resolve, args } = field;
  const own = types.get(SEARCH_WHERE)?.() as GraphQLInputObjectType | undefined;
  const configurations = args.map(({ name, astNode: _none, ...arg }) => [
    name,
    name === 'where' && own !== undefined ? { ...arg, type: own } : arg,
  ]);
  return {
    type,
    description,
    resolve,
    args: Object.fromEntries(configurations) as GraphQLFieldConfigArgumentMap,
  };
}

function refuseTopics(): never {
  throw new Error('subscriptions follow core, and no topics');
}

export { atomicRule } from './changes/atomic-rule';
export {
  type Answer,
  createGatewayContext,
  type GatewayContext,
  isGatewayContext,
  withRequest,
} from './context';
export { finish, type Steps } from '../schema/steps';
export { ChangeEvent } from './change-resolver';
export { ParsedCache } from './parsed-resources';
