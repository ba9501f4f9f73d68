/**
 * Operations as fields, typed by their OperationDefinitions: `ValueSetExpand(url: …)`. Operations that do not change
 * state are fields of Query, others of Mutation.
 */
import {
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLNonNull,
  type GraphQLOutputType,
  GraphQLString,
} from 'graphql';
import { COST_OF_OPERATION, withCost } from '../../cost';
import { codeScalar } from '../../scalars';
import type { ResourceSource } from '../../types/resource';
import type { SchemaDefinitions } from '../definitions';
import type { ElementTypes, Field } from '../elements';
import type { FieldMakers } from '../own-types';
import type { OperationRequest, SchemaOperation } from './definitions';
import { toFieldName } from './field-name';
import { SearchArguments } from '../search-arguments';
import { badInput, inputArguments, inputParameters } from './input';

export type { OperationRequest, SchemaOperation } from './definitions';

/** Means all types in OperationDefinition.resource. */
const ALL = 'Resource';
/** Prefix of the fields of operations for all types. */
const ANY = 'Any';

export interface OperationFields<Context> {
  readonly query: FieldMakers<Context>;
  readonly mutation: FieldMakers<Context>;
}

export function operationFields<Context>(
  definitions: SchemaDefinitions,
  elements: ElementTypes<Context>,
  operations: readonly SchemaOperation[],
  invoke: (request: OperationRequest, context: Context) => Promise<ResourceSource>,
): OperationFields<Context> {
  const query = new Map<string, () => Field<Context>>();
  const mutation = new Map<string, () => Field<Context>>();
  for (const operation of operations) {
    const makers = operation.affectsState ? mutation : query;
    for (const type of operation.types) {
      const name = `${type === ALL ? ANY : type}${toFieldName(operation.fieldCode ?? operation.code)}`;
      makers.set(name, () => operationField(type, operation));
    }
  }
  return { query, mutation };

  function operationField(on: string, operation: SchemaOperation): Field<Context> {
    const { code, definition, levels, affectsState, isPaged, takesSearch } = operation;
    const address = addressArguments(on, levels);
    // The address replaces the parameter `id` of $document.
    const inputs = operation.parameters.filter(({ use, name }) => use === 'in' && !(name in address));
    const paging: GraphQLFieldConfigArgumentMap = isPaged
      ? {
          _cursor: {
            type: GraphQLString,
            description: 'The cursor in the link `next` of the previous page.',
          },
        }
      : {};
    const search = takesSearch ? new SearchArguments(definitions.searchParameters(on)) : undefined;
    return {
      type: resultType(operation),
      // Mutations have the cost of a write.
      ...(affectsState ? {} : withCost(COST_OF_OPERATION)),
      description: `$${code}: ${definition}`,
      args: {
        ...search?.criteria(),
        ...address,
        ...inputArguments(definitions, definition, inputs),
        ...paging,
      },
      resolve: (_root, given, context) => {
        const type = on === ALL ? textOf(given['type']) : on;
        // Without a level of the resource it is a parameter, as in $preferred-id.
        const id = levels.includes('instance') ? textOf(given['id']) : undefined;
        if (id !== undefined && type === undefined) throw badInput("An 'id' requires a 'type'");
        const level = id !== undefined ? 'instance' : typeLevel(levels, type);
        return invoke(
          {
            level,
            ...(level === 'system' ? {} : { type }),
            ...(id === undefined ? {} : { id }),
            code,
            affectsState,
            parameters: inputParameters(definitions, inputs, given),
            search: search?.request(given).parameters ?? [],
            ...(typeof given['_cursor'] === 'string' ? { cursor: given['_cursor'] } : {}),
          },
          context,
        );
      },
    };
  }

  function resultType({ returns = 'Parameters' }: SchemaOperation): GraphQLOutputType {
    return returns === ALL ? elements.resource : elements.ofType(returns);
  }
}

function addressArguments(on: string, levels: SchemaOperation['levels']): GraphQLFieldConfigArgumentMap {
  const args: GraphQLFieldConfigArgumentMap = {};
  if (on === ALL) args['type'] = { type: codeScalar, description: 'The resource type on which it runs.' };
  if (levels.includes('instance')) {
    const isNeeded = levels.length === 1;
    args['id'] = {
      type: isNeeded ? new GraphQLNonNull(GraphQLID) : GraphQLID,
      description: 'The resource on which it runs.',
    };
  }
  return args;
}

/**
 * Returns the level for a call without an id. An operation of a type that is defined only for the whole server runs
 * there.
 */
function typeLevel(levels: SchemaOperation['levels'], type: string | undefined): 'system' | 'type' {
  if (type === undefined) return 'system';
  return levels.includes('type') || !levels.includes('system') ? 'type' : 'system';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
