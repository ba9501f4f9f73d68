/**
 * Makes the OpenAPI 3.1 document of a tenant and release from the routes, the operations and the CapabilityStatement.
 * Pure; `interactions/openapi.ts` sends it.
 */
import { RESULT_PARAMETERS, type OperationInfo, type OperationLevel } from '../core';
import { RESOURCE_TYPES } from './requests/body';
import { INTERACTIONS, type Interaction } from './interaction-names';
import {
  COMMON_PARAMETERS,
  componentsOf,
  contentOf,
  ParameterList,
  reference,
  typeParameter,
  type Json,
} from './openapi/components';
import { DESCRIPTIONS, type Description } from './openapi/descriptions';
import type { CapabilityLists, SearchParam } from './openapi/statement';

/** An address below `{fhir_root}`, as a route pattern, and one of its methods. */
export interface DescribedRoute {
  readonly path: string;
  readonly method: string;
  readonly interaction: Interaction;
}

/** The described server; the lists are those that it uses itself. */
export interface DescribedApi {
  readonly title: string;
  readonly version: string;
  /** Last part of `{fhir_root}`. */
  readonly release: string;
  readonly routes: readonly DescribedRoute[];
  readonly operations: readonly OperationInfo[];
  /** Lists the concrete types of an operation on these types (`Resource`: all). */
  readonly statement: CapabilityLists;
}

/** Routes that serve all operations; each operation gets paths of its own. */
const OPERATION_LEVELS = new Map<Interaction, OperationLevel>([
  [INTERACTIONS.operationSystem, 'system'],
  [INTERACTIONS.operationType, 'type'],
  [INTERACTIONS.operationInstance, 'instance'],
]);

/** Returns the document. Cost: some milliseconds; the result has about 10,000 members. */
export function describeApi(api: DescribedApi): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const add = (path: string, method: string, operation: Json): void => {
    const item = (paths[path === '' ? '/' : path] ??= { parameters: pathParameters(path) });
    item[method.toLowerCase()] = { operationId: toOperationId(method, path), ...operation };
  };
  const parameters = new ParameterList();
  for (const { path, method, interaction } of api.routes) {
    if (interaction === INTERACTIONS.bundle && !takesBundles(api)) continue;
    const level = OPERATION_LEVELS.get(interaction);
    if (level !== undefined) describeOperations(api, { level, path, method, add });
    else if (path.startsWith('/:type') && !path.startsWith('/:type/:id'))
      for (const resource of api.statement.rest[0].resource) {
        const { type, searchParam: searchParameters = [] } = resource;
        const resultParameters = resultParametersOf(resource);
        add(
          toTemplate(path.replace(':type', type)),
          method,
          describe(api, { interaction, type, searchParameters, resultParameters, parameters }),
        );
      }
    else
      add(
        toTemplate(path),
        method,
        describe(api, { interaction, type: undefined, searchParameters: commonParameters(api), parameters }),
      );
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the address of the document itself.
    servers: [{ url: `../${api.release}` }],
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    components: {
      ...componentsOf(api.statement),
      parameters: { ...COMMON_PARAMETERS, ...typeParameter(api.statement), ...parameters.all },
    },
  };
}

function takesBundles({ statement }: DescribedApi): boolean {
  const { interaction = [] } = statement.rest[0];
  return interaction.some(({ code }) => code === 'batch' || code === 'transaction');
}

function commonParameters({ statement }: DescribedApi): readonly SearchParam[] {
  return statement.rest[0].searchParam ?? [];
}

function resultParametersOf({
  searchInclude = [],
  searchRevInclude = [],
}: CapabilityLists['rest'][0]['resource'][number]): readonly SearchParam[] {
  return RESULT_PARAMETERS.filter(({ name }) => {
    if (name === '_include') return searchInclude.length > 0;
    return name !== '_revinclude' || searchRevInclude.length > 0;
  }).map(({ name, kind }) => ({ name, type: kind }));
}

/** Converts `/:type/:id` to `/{type}/{id}`. */
function toTemplate(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

function toOperationId(method: string, path: string): string {
  const words = path
    .replace(/[${}]/g, '')
    .split('/')
    .filter((word) => word !== '');
  return [method.toLowerCase(), ...(words.length === 0 ? ['root'] : words)].join('-').replace(/\*/g, 'any');
}

/** Returns the parameters of a path: each part in braces is a parameter of all its methods. */
function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => reference('parameters', `path-${name}`));
}

/** An interaction on a resource type; undefined: on all types. */
interface TypeInteraction {
  readonly interaction: Interaction;
  readonly type: string | undefined;
  readonly searchParameters: readonly SearchParam[];
  /** Parameters that only searches have. */
  readonly resultParameters?: readonly SearchParam[];
  readonly parameters: ParameterList;
}

function describe(
  api: DescribedApi,
  { interaction, type, searchParameters, resultParameters = [], parameters }: TypeInteraction,
): Json {
  const {
    summary,
    body,
    schema = 'Resource',
    answers,
    headers = [],
    isSearch = false,
    hasCriteria = false,
    hasParts = false,
  } = DESCRIPTIONS.get(interaction) ?? { summary: interaction.name };
  const listed = [
    ...headers.map((name) => reference('parameters', name)),
    ...(hasCriteria || (isSearch && body === undefined)
      ? searchParameters.map((each) => parameters.use(each))
      : []),
    ...(isSearch && body === undefined ? resultParameters.map((each) => parameters.use(each)) : []),
    ...(hasParts ? ['_summary', '_elements'].map((name) => reference('parameters', name)) : []),
    reference('parameters', '_format'),
    reference('parameters', '_pretty'),
  ];
  return {
    summary: type === undefined ? summary : `${summary}: ${type}`,
    tags: [type ?? interaction.name],
    parameters: listed,
    ...(body === undefined ? {} : { requestBody: bodyOf(api, body) }),
    responses: responsesOf(schema, answers ?? { '200': 'Done' }),
  };
}

function responsesOf(schema: string, answers: Readonly<Record<string, string>>): Json {
  const responses: Record<string, unknown> = {};
  for (const [status, description] of Object.entries(answers)) {
    const isError = status >= '400';
    const isEmpty = status === '204' || status === '304';
    responses[status] = {
      description,
      ...(isEmpty ? {} : { content: contentOf(isError ? 'OperationOutcome' : schema) }),
    };
  }
  return { ...responses, default: reference('responses', 'Refused') };
}

function bodyOf(api: DescribedApi, body: NonNullable<Description['body']>): Json {
  const resourceTypes = (schema: string): Json =>
    Object.fromEntries(RESOURCE_TYPES.map((type) => [type, { schema: reference('schemas', schema) }]));
  if (body === 'graphql') {
    const request = { type: 'object', required: ['query'], properties: { query: { type: 'string' } } };
    return {
      required: true,
      content: {
        'application/json': { schema: request },
        'application/graphql': { schema: { type: 'string' } },
      },
    };
  }
  if (body === 'form')
    return { content: { 'application/x-www-form-urlencoded': { schema: { type: 'object' } } } };
  if (body === 'resource') return { required: true, content: resourceTypes('Resource') };
  if (body === 'bundle') return { required: true, content: resourceTypes('Bundle') };
  if (body === 'parameters') return { content: resourceTypes('Resource') };
  const formats = api.statement.patchFormat ?? [];
  const schemaOf = (format: string): Json =>
    reference('schemas', format === 'application/json-patch+json' ? 'JsonPatch' : 'Resource');
  return {
    required: true,
    content: Object.fromEntries(formats.map((format) => [format, { schema: schemaOf(format) }])),
  };
}

/** A route for all operations of a level; `add` adds a path to the document. */
interface OperationRoute {
  readonly level: OperationLevel;
  readonly path: string;
  readonly method: string;
  readonly add: (path: string, method: string, operation: Json) => void;
}

function describeOperations(api: DescribedApi, { level, path, method, add }: OperationRoute): void {
  for (const operation of api.operations) {
    if (!operation.levels.includes(level) || (method === 'GET' && operation.affectsState)) continue;
    for (const type of level === 'system' ? [''] : typesOf(api, operation)) {
      const address = toTemplate(path.replace(':type', type).replace('$:code', `$${operation.code}`));
      add(address, method, {
        summary: `$${operation.code}`,
        tags: [type === '' || type === '{type}' ? 'operation' : type],
        externalDocs: { url: operation.definition },
        ...(method === 'POST' ? { requestBody: bodyOf(api, 'parameters') } : {}),
        responses: responsesOf('Resource', { '200': 'The result' }),
      });
    }
  }
}

/** Returns the types that have the operation according to the statement; `{type}` where all have it. */
function typesOf({ statement }: DescribedApi, { definition }: OperationInfo): readonly string[] {
  const { resource } = statement.rest[0];
  const types = resource.filter(({ operation = [] }) =>
    operation.some((each) => each.definition === definition),
  );
  return types.length === resource.length ? ['{type}'] : types.map(({ type }) => type);
}
