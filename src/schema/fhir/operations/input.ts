/** The arguments of an operation, and their conversion to `Parameters.parameter`. */
import {
  type GraphQLArgumentConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLError,
  type GraphQLInputType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLScalarType,
} from 'graphql';
import { isJsonObject, type Json, type JsonObject } from '../../json';
import { jsonScalar, resourceInputScalar } from '../../scalars';
import type { SchemaDefinitions } from '../definitions';
import { primitiveScalar } from '../primitives';
import type { SchemaOperationParameter } from './definitions';
import { choiceName } from '../../../../packages/fhir-values/choice-name';
import { toArgumentName } from '../../../../packages/fhir-values/argument-name';

/** Parameter types that accept any resource. */
const ANY_RESOURCE: ReadonlySet<string> = new Set(['Any', 'Resource', 'DomainResource']);

type Kind = 'primitive' | 'element' | 'resource' | 'parts';

function kindOf(definitions: SchemaDefinitions, { type }: SchemaOperationParameter): Kind | undefined {
  if (type === undefined) return 'parts';
  if (ANY_RESOURCE.has(type)) return 'resource';
  const structure = definitions.structure(type);
  if (structure === undefined || structure.isAbstract) return undefined;
  if (structure.kind === 'complex') return 'element';
  return structure.kind;
}

function scalarOf(kind: Kind, type = ''): GraphQLScalarType {
  if (kind === 'primitive') return primitiveScalar(type);
  return kind === 'resource' ? resourceInputScalar : jsonScalar;
}

const DESCRIPTIONS: Readonly<Record<Kind, (parameter: SchemaOperationParameter) => string | undefined>> = {
  primitive: () => undefined,
  element: ({ type }) => `A ${type} as FHIR JSON.`,
  resource: ({ type = '' }) => (ANY_RESOURCE.has(type) ? undefined : `A ${type}.`),
  parts: ({ parts }) => `An object of its parts: ${parts.map(({ name }) => name).join(', ')}.`,
};

/**
 * Returns the arguments for parameters of an operation, given by its url. Other parameters can be used only with `invoke`.
 */
export function inputArguments(
  definitions: SchemaDefinitions,
  operation: string,
  parameters: readonly SchemaOperationParameter[],
): GraphQLFieldConfigArgumentMap {
  const args: Record<string, GraphQLArgumentConfig> = {};
  for (const parameter of parameters) {
    const kind = kindOf(definitions, parameter);
    if (kind === undefined) continue;
    const scalar = scalarOf(kind, parameter.type);
    const type: GraphQLInputType = parameter.max > 1 ? new GraphQLList(new GraphQLNonNull(scalar)) : scalar;
    const texts = [
      definitions.descriptions.operationParameter(operation, parameter.name),
      DESCRIPTIONS[kind](parameter),
    ];
    const description = texts.filter((text) => text !== undefined).join('\n') || undefined;
    args[toArgumentName(parameter.name)] = { type, description };
  }
  return args;
}

/** Returns the parameters of the given arguments, in the order of the definition. */
export function inputParameters(
  definitions: SchemaDefinitions,
  parameters: readonly SchemaOperationParameter[],
  args: Readonly<Record<string, unknown>>,
): JsonObject[] {
  return parameters.flatMap((parameter) => {
    const given = args[toArgumentName(parameter.name)] ?? args[parameter.name];
    if (given === undefined || given === null) return [];
    const values = (Array.isArray(given) ? given : [given]) as readonly Json[];
    return values.map((value) => entryOf(definitions, parameter, value));
  });
}

function entryOf(
  definitions: SchemaDefinitions,
  parameter: SchemaOperationParameter,
  value: Json,
): JsonObject {
  const { name, type = '', parts } = parameter;
  switch (kindOf(definitions, parameter)) {
    case 'resource':
      return { name, resource: value };
    case 'parts':
      if (!isJsonObject(value)) throw badInput(`'${name}' must be an object of its parts`);
      requireParts(name, parts, value);
      return { name, part: inputParameters(definitions, parts, value) };
    case undefined:
      return { name, [choiceName('value', simpleTypeOf(name, value))]: value };
    default:
      return { name, [choiceName('value', type)]: value };
  }
}

/** The type of a value whose parameter may have any. */
function simpleTypeOf(name: string, value: Json): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'decimal';
  throw badInput(`'${name}' must be a text, number or boolean; use invoke with Parameters for other types`);
}

function requireParts(name: string, parts: readonly SchemaOperationParameter[], value: JsonObject): void {
  const names = new Set(parts.flatMap((part) => [part.name, toArgumentName(part.name)]));
  const stray = Object.keys(value).find((member) => !names.has(member));
  if (stray !== undefined) throw badInput(`'${name}' has no part '${stray}'`);
}

export function badInput(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'BAD_USER_INPUT' } });
}
