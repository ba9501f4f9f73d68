/** The mutations of each resource type, named as HL7 names them: PatientCreate, PatientUpdate, PatientPatch, PatientDelete. */
import {
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputType,
  GraphQLBoolean,
  GraphQLID,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql';
import { resourceInputScalar } from '../scalars';
import type { ElementTypes, Field, Fields } from './elements';
import type { ChangeKind, ChangeResult, Handlers } from './handlers';

const DRY_RUN = { dryRun: { type: GraphQLBoolean } };
const GUARD: GraphQLFieldConfigArgumentMap = {
  ifMatch: { type: new GraphQLList(new GraphQLNonNull(GraphQLID)) },
  ifVersion: { type: GraphQLID },
  ...DRY_RUN,
};
/** Which resource: by its id, or by a search. */
const TARGET: GraphQLFieldConfigArgumentMap = { id: { type: GraphQLID }, criteria: { type: GraphQLString } };
const RESOURCE: GraphQLFieldConfigArgumentMap = { res: { type: new GraphQLNonNull(resourceInputScalar) } };
const NAME: GraphQLFieldConfigArgumentMap = { as: { type: GraphQLString } };

/**
 * The fields of Mutation. Their arguments are those of `create`, `update`, `patch` and `delete`, which say what they mean.
 *
 * @param patchOperation the input type of the operations of a JSON Patch
 */
export function mutationFields<Context>(
  resourceTypes: readonly string[],
  elements: ElementTypes<Context>,
  handlers: Handlers<Context>,
  patchOperation: GraphQLInputType,
): Fields<Context> {
  const outcome = elements.ofType('OperationOutcome');
  const information: Field<Context> = {
    type: outcome,
    description: 'What was done, and what was found in the resource that did not refuse it.',
  };
  const operations = new GraphQLList(new GraphQLNonNull(patchOperation));
  const fields: Fields<Context> = {};
  for (const type of resourceTypes) {
    const resource: Field<Context> = { type: elements.ofType(type) };
    const creation = new GraphQLObjectType<ChangeResult, Context>({
      name: `${type}Creation`,
      fields: { location: { type: GraphQLString }, resource, information },
    });
    const update = new GraphQLObjectType<ChangeResult, Context>({
      name: `${type}Update`,
      fields: { resource, information },
    });
    const deletion = new GraphQLObjectType<ChangeResult, Context>({ name: `${type}Delete`, fields: { information } });
    const field = (
      kind: ChangeKind,
      description: string,
      answer: GraphQLObjectType,
      args: GraphQLFieldConfigArgumentMap,
    ): Field<Context> => {
      const { resolve, extensions } = handlers.change(kind, type);
      return {
        type: answer,
        description,
        args,
        extensions,
        resolve: (_root, given, context, info) => resolve(given, context, info),
      };
    };
    fields[`${type}Create`] = field('create', `Stores a new ${type}; see \`create\`.`, creation, {
      ...RESOURCE,
      ifNoneExist: { type: GraphQLString },
      ...NAME,
      ...DRY_RUN,
    });
    fields[`${type}Update`] = field('update', `Stores the next version of a ${type}; see \`update\`.`, update, {
      ...TARGET,
      ...RESOURCE,
      ...NAME,
      ...GUARD,
    });
    fields[`${type}Patch`] = field('patch', `Changes a ${type} by a patch; see \`patch\`.`, update, {
      ...TARGET,
      patch: { type: operations },
      fhirPathPatch: { type: resourceInputScalar },
      ...GUARD,
    });
    fields[`${type}Delete`] = field('delete', `Deletes a ${type}; see \`delete\`.`, deletion, {
      ...TARGET,
      ...GUARD,
    });
  }
  return fields;
}
