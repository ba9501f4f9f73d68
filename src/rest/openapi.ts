/**
 * The OpenAPI 3.1 document of a tenant and release, made of the routes, the operations and the CapabilityStatement: what
 * is in none of them is not in it. Pure; `interactions/openapi.ts` sends it.
 */
import type { OperationInfo, OperationLevel } from '../core';
import { RESOURCE_TYPES } from './body';
import { INTERACTIONS, type Interaction } from './interaction-names';

/** An address below `{fhir_root}`, as a route pattern, and one of its methods. */
export interface DescribedRoute {
  readonly path: string;
  readonly method: string;
  readonly interaction: Interaction;
}

/** What is described; the lists are those that the server works by. */
export interface DescribedApi {
  readonly title: string;
  readonly version: string;
  /** Last part of `{fhir_root}`. */
  readonly release: string;
  readonly routes: readonly DescribedRoute[];
  readonly operations: readonly OperationInfo[];
  /** In which concrete types an operation on these types (`Resource`: all) is found. */
  readonly statement: CapabilityLists;
}

/** The parts of a CapabilityStatement that are used. */
export interface CapabilityLists {
  readonly patchFormat?: readonly string[];
  readonly rest: readonly [
    {
      readonly resource: readonly {
        readonly type: string;
        readonly searchParam?: readonly SearchParam[];
        readonly operation?: readonly { readonly name: string; readonly definition: string }[];
      }[];
      readonly interaction?: readonly { readonly code: string }[];
      readonly searchParam?: readonly SearchParam[];
    },
  ];
}

interface SearchParam {
  readonly name: string;
  readonly type: string;
  readonly definition?: string;
}

type Json = Readonly<Record<string, unknown>>;

/** What is to be said of an interaction; what is not listed here answers 200 with a resource. */
interface Description {
  readonly summary: string;
  /** Content types of the body, and the schema of it. */
  readonly body?: 'resource' | 'patch' | 'form' | 'parameters' | 'bundle' | 'graphql';
  readonly answers?: Readonly<Record<string, string>>;
  readonly schema?: 'Bundle' | 'Resource' | 'OperationOutcome' | 'Document';
  readonly headers?: readonly string[];
  readonly isSearch?: boolean;
  /** Search parameters in the address say which resource is meant. */
  readonly hasCriteria?: boolean;
}

const WRITE_HEADERS = ['IfMatch', 'Prefer', 'XProvenance'];
const READ = {
  '200': 'The resource',
  '304': 'The client has this version',
  '404': 'Not known',
  '410': 'Deleted',
};
const SEARCH: Description = {
  summary: 'Search',
  schema: 'Bundle',
  headers: ['Prefer'],
  isSearch: true,
  answers: { '200': 'A page of matches', '202': 'Taken; the answer is told at Content-Location' },
};
const SEARCH_BY_POST: Description = { ...SEARCH, body: 'form' };
const HISTORY: Description = { summary: 'History', schema: 'Bundle' };
const INVOKE: Description = { summary: 'Operation' };
const GRAPHQL: Description = {
  summary: 'GraphQL: query',
  schema: 'Document',
  headers: ['query', 'variables', 'operationName'],
  answers: { '200': 'data, and errors where there are any' },
};
const GRAPHQL_BY_POST: Description = { ...GRAPHQL, summary: 'GraphQL', headers: [], body: 'graphql' };

const DESCRIPTIONS = new Map<Interaction, Description>([
  [
    INTERACTIONS.capabilities,
    { summary: 'What this server can do', answers: { '200': 'The statement', '304': 'Unchanged' } },
  ],
  [
    INTERACTIONS.openapi,
    { summary: 'This document', schema: 'Document', answers: { '200': 'The document', '304': 'Unchanged' } },
  ],
  [INTERACTIONS.read, { summary: 'Read', answers: READ, headers: ['IfNoneMatch', 'IfModifiedSince'] }],
  [INTERACTIONS.vread, { summary: 'Read a version', answers: READ, headers: ['IfNoneMatch'] }],
  [
    INTERACTIONS.create,
    {
      summary: 'Create',
      body: 'resource',
      answers: {
        '200': 'A resource meets If-None-Exist already',
        '201': 'Created',
        '412': 'Several meet it',
      },
      headers: ['IfNoneExist', 'Prefer', 'XProvenance'],
    },
  ],
  [
    INTERACTIONS.update,
    {
      summary: 'Update, or create with this id',
      body: 'resource',
      answers: { '200': 'Updated', '201': 'Created', '412': 'Not the current version' },
      headers: WRITE_HEADERS,
    },
  ],
  [
    INTERACTIONS.patch,
    {
      summary: 'Patch',
      body: 'patch',
      answers: { '200': 'Patched', '412': 'Not the current version' },
      headers: WRITE_HEADERS,
    },
  ],
  [
    INTERACTIONS.delete,
    {
      summary: 'Delete',
      schema: 'OperationOutcome',
      answers: { '200': 'Deleted', '204': 'Deleted, without a body' },
      headers: WRITE_HEADERS,
    },
  ],
  [
    INTERACTIONS.conditionalUpdate,
    {
      summary: 'Update what meets the criteria, or create',
      body: 'resource',
      answers: { '200': 'Updated', '201': 'Created', '412': 'Several meet them, or not this version' },
      headers: WRITE_HEADERS,
      hasCriteria: true,
    },
  ],
  [
    INTERACTIONS.conditionalPatch,
    {
      summary: 'Patch what meets the criteria',
      body: 'patch',
      answers: { '200': 'Patched', '412': 'Several meet them, or not this version' },
      headers: WRITE_HEADERS,
      hasCriteria: true,
    },
  ],
  [
    INTERACTIONS.conditionalDelete,
    {
      summary: 'Delete what meets the criteria',
      schema: 'OperationOutcome',
      answers: { '200': 'Deleted', '204': 'Deleted, without a body', '412': 'Several meet them' },
      headers: WRITE_HEADERS,
      hasCriteria: true,
    },
  ],
  [INTERACTIONS.searchType, SEARCH],
  [INTERACTIONS.searchTypeByPost, SEARCH_BY_POST],
  [INTERACTIONS.searchSystem, SEARCH],
  [INTERACTIONS.searchSystemByPost, SEARCH_BY_POST],
  [INTERACTIONS.searchCompartment, SEARCH],
  [INTERACTIONS.searchCompartmentByPost, SEARCH_BY_POST],
  [INTERACTIONS.searchCompartmentTypeByPost, SEARCH_BY_POST],
  [INTERACTIONS.historyInstance, HISTORY],
  [INTERACTIONS.historyType, HISTORY],
  [INTERACTIONS.historySystem, HISTORY],
  [
    INTERACTIONS.bundle,
    { summary: 'Batch or transaction', body: 'bundle', schema: 'Bundle', headers: ['Prefer'] },
  ],
  [INTERACTIONS.graphqlSystem, GRAPHQL],
  [INTERACTIONS.graphqlSystemByPost, GRAPHQL_BY_POST],
  [INTERACTIONS.graphqlInstance, GRAPHQL],
  [INTERACTIONS.graphqlInstanceByPost, GRAPHQL_BY_POST],
  [INTERACTIONS.operationSystem, INVOKE],
  [INTERACTIONS.operationType, INVOKE],
  [INTERACTIONS.operationInstance, INVOKE],
  [
    INTERACTIONS.asyncStatus,
    {
      summary: 'The answer to a request that was taken for later',
      answers: { '200': 'The answer', '202': 'Not done yet' },
    },
  ],
  [
    INTERACTIONS.asyncCancel,
    { summary: 'Give such a request up', schema: 'OperationOutcome', answers: { '202': 'Given up' } },
  ],
]);

/** Routes that stand for every operation; each operation gets paths of its own. */
const OPERATION_LEVELS = new Map<Interaction, OperationLevel>([
  [INTERACTIONS.operationSystem, 'system'],
  [INTERACTIONS.operationType, 'type'],
  [INTERACTIONS.operationInstance, 'instance'],
]);

/** Cost: some milliseconds; the result has about 10,000 members. */
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
    if (level !== undefined) describeOperations(api, level, path, method, add);
    else if (path.startsWith('/:type') && !path.startsWith('/:type/:id'))
      for (const { type, searchParam = [] } of api.statement.rest[0].resource)
        add(
          toTemplate(path.replace(':type', type)),
          method,
          describe(api, interaction, type, searchParam, parameters),
        );
    else
      add(toTemplate(path), method, describe(api, interaction, undefined, commonParameters(api), parameters));
  }
  return {
    openapi: '3.1.0',
    info: {
      title: api.title,
      version: api.version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Below the address of the document itself.
    servers: [{ url: `../${api.release}` }],
    paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))),
    components: {
      ...componentsOf(api),
      parameters: { ...COMMON_PARAMETERS, ...typeParameter(api), ...parameters.all },
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

/** `/:type/:id` as `/{type}/{id}`. */
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

/** Each part of a path in braces is a parameter of all its methods. */
function pathParameters(path: string): readonly Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => reference('parameters', `path-${name}`));
}

function describe(
  api: DescribedApi,
  interaction: Interaction,
  type: string | undefined,
  searchParameters: readonly SearchParam[],
  parameters: ParameterList,
): Json {
  const {
    summary,
    body,
    schema = 'Resource',
    answers,
    headers = [],
    isSearch = false,
    hasCriteria = false,
  } = DESCRIPTIONS.get(interaction) ?? { summary: interaction.name };
  const listed = [
    ...headers.map((name) => reference('parameters', name)),
    ...(hasCriteria || (isSearch && body === undefined)
      ? searchParameters.map((each) => parameters.use(each))
      : []),
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

function contentOf(schema: string): Json {
  if (schema === 'Document') return { 'application/json': { schema: { type: 'object' } } };
  return { [RESOURCE_TYPES[0]]: { schema: reference('schemas', schema) } };
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

function describeOperations(
  api: DescribedApi,
  level: OperationLevel,
  path: string,
  method: string,
  add: (path: string, method: string, operation: Json) => void,
): void {
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

/** The types that the statement says have it; `{type}` where all have. */
function typesOf({ statement }: DescribedApi, { definition }: OperationInfo): readonly string[] {
  const { resource } = statement.rest[0];
  const types = resource.filter(({ operation = [] }) =>
    operation.some((each) => each.definition === definition),
  );
  return types.length === resource.length ? ['{type}'] : types.map(({ type }) => type);
}

/** The search parameters that were met, each described once. */
class ParameterList {
  readonly all: Record<string, Json> = {};

  use({ name, type, definition }: SearchParam): Json {
    const key = `search-${name.replace(/[^\w.-]/g, '.')}-${type}`;
    this.all[key] ??= {
      name,
      in: 'query',
      description: definition === undefined ? `A ${type}` : `A ${type}: ${definition}`,
      // Repeated: all must hold; a comma within a value: one of them must.
      schema: { type: 'array', items: { type: 'string' } },
      style: 'form',
      explode: true,
    };
    return reference('parameters', key);
  }
}

function reference(kind: 'parameters' | 'responses' | 'schemas', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

function header(name: string, description: string): Json {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

function inQuery(name: string, description: string): Json {
  return { name, in: 'query', description, schema: { type: 'string' } };
}

function inPath(name: string, description: string, schema: Json): Json {
  return { name, in: 'path', required: true, description, schema };
}

const ID = { type: 'string', pattern: '^[A-Za-z0-9.\\-]{1,64}$' };

const COMMON_PARAMETERS: Readonly<Record<string, Json>> = {
  'path-id': inPath('id', 'Id of a resource', ID),
  'path-vid': inPath('vid', 'Id of a version', ID),
  'path-job': inPath('job', 'Of the address that was told in Content-Location', { type: 'string' }),
  _format: {
    name: '_format',
    in: 'query',
    description: 'Form of the answer: json',
    schema: { type: 'string' },
  },
  _pretty: {
    name: '_pretty',
    in: 'query',
    description: 'Whether the answer is laid out',
    schema: { type: 'boolean' },
  },
  query: inQuery('query', 'A GraphQL document'),
  variables: inQuery('variables', 'The values of its variables, as JSON'),
  operationName: inQuery('operationName', 'Which of its operations is run'),
  IfMatch: header('If-Match', 'ETags of which one must be that of the current version'),
  IfNoneExist: header(
    'If-None-Exist',
    'Search criteria as behind a ?: nothing is stored where a resource meets them',
  ),
  IfNoneMatch: header('If-None-Match', 'ETags of versions that the client has'),
  IfModifiedSince: header('If-Modified-Since', 'When the client got its version'),
  Prefer: header(
    'Prefer',
    'return=minimal|representation|OperationOutcome, handling=strict|lenient, respond-async',
  ),
  XProvenance: header('X-Provenance', 'A Provenance as JSON that is stored with the change'),
};

function typeParameter({ statement }: DescribedApi): Readonly<Record<string, Json>> {
  const types = statement.rest[0].resource.map(({ type }) => type);
  return {
    'path-type': inPath('type', 'A resource type', { type: 'string', enum: types }),
    'path-member': inPath('member', 'The type that is searched in the compartment, or * for all', {
      type: 'string',
      enum: ['*', ...types],
    }),
  };
}

function componentsOf({ statement }: DescribedApi): Json {
  const named = (type: string): Json => ({
    type: 'object',
    required: ['resourceType'],
    properties: { resourceType: { const: type } },
  });
  return {
    responses: {
      Refused: {
        description: 'Why it was refused, or what went wrong',
        content: contentOf('OperationOutcome'),
      },
    },
    schemas: {
      Resource: {
        type: 'object',
        required: ['resourceType'],
        properties: { resourceType: { enum: statement.rest[0].resource.map(({ type }) => type) } },
      },
      Bundle: named('Bundle'),
      OperationOutcome: named('OperationOutcome'),
      JsonPatch: {
        type: 'array',
        items: {
          type: 'object',
          required: ['op', 'path'],
          properties: {
            op: { enum: ['add', 'remove', 'replace', 'move', 'copy', 'test'] },
            path: { type: 'string' },
            from: { type: 'string' },
            value: true,
          },
        },
      },
    },
  };
}
