/** Shared components of an OpenAPI document: parameters, schemas, responses. */
import { ID } from '../../core';
import { RESOURCE_TYPES } from '../requests/body';
import type { CapabilityLists, SearchParam } from './statement';

export type Json = Readonly<Record<string, unknown>>;

export function reference(kind: 'parameters' | 'responses' | 'schemas', name: string): Json {
  return { $ref: `#/components/${kind}/${name}` };
}

export function contentOf(schema: string): Json {
  if (schema === 'Document') return { 'application/json': { schema: { type: 'object' } } };
  return { [RESOURCE_TYPES[0]]: { schema: reference('schemas', schema) } };
}

/** Collects the used search parameters; each is described once. */
export class ParameterList {
  readonly all: Record<string, Json> = {};

  use({ name, type, definition }: SearchParam): Json {
    const key = `search-${name.replace(/[^\w.-]/g, '.')}-${type}`;
    this.all[key] ??= {
      name,
      in: 'query',
      description: definition === undefined ? `A ${type}` : `A ${type}: ${definition}`,
      // All values of a repeated parameter must match; of values separated by commas one must match.
      schema: { type: 'array', items: { type: 'string' } },
      style: 'form',
      explode: true,
    };
    return reference('parameters', key);
  }
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

const ID_SCHEMA = { type: 'string', pattern: `^${ID}$` };

export const COMMON_PARAMETERS: Readonly<Record<string, Json>> = {
  'path-id': inPath('id', 'Id of a resource', ID_SCHEMA),
  'path-vid': inPath('vid', 'Id of a version', ID_SCHEMA),
  'path-job': inPath('job', 'Id of the request, from the address in Content-Location', { type: 'string' }),
  'path-file': inPath('file', 'Name of a file, from an address in the manifest', { type: 'string' }),
  _format: {
    name: '_format',
    in: 'query',
    description: 'Format of the response: json',
    schema: { type: 'string' },
  },
  _pretty: {
    name: '_pretty',
    in: 'query',
    description: 'True: the response is indented',
    schema: { type: 'boolean' },
  },
  _summary: {
    name: '_summary',
    in: 'query',
    description: 'The part of the resource in the response',
    schema: { type: 'string', enum: ['true', 'text', 'data', 'false'] },
  },
  _elements: inQuery('_elements', 'Elements of the resource in the response, separated by commas'),
  query: inQuery('query', 'A GraphQL document'),
  variables: inQuery('variables', 'The values of its variables, as JSON'),
  operationName: inQuery('operationName', 'Name of the operation to execute'),
  IfMatch: header('If-Match', 'ETags; one must be that of the current version'),
  IfNoneExist: header(
    'If-None-Exist',
    'Search criteria in the form of a query: nothing is stored where a resource meets them',
  ),
  IfNoneMatch: header('If-None-Match', 'ETags of versions that the client has'),
  IfModifiedSince: header('If-Modified-Since', 'The time of the version that the client has'),
  Prefer: header(
    'Prefer',
    'return=minimal|representation|OperationOutcome, handling=strict|lenient, respond-async',
  ),
  XProvenance: header('X-Provenance', 'A Provenance as JSON that is stored with the change'),
};

export function typeParameter(statement: CapabilityLists): Readonly<Record<string, Json>> {
  const types = statement.rest[0].resource.map(({ type }) => type);
  return {
    'path-type': inPath('type', 'A resource type', { type: 'string', enum: types }),
    'path-member': inPath('member', 'The type to search in the compartment, or * for all', {
      type: 'string',
      enum: ['*', ...types],
    }),
  };
}

export function componentsOf(statement: CapabilityLists): Json {
  const named = (type: string): Json => ({
    type: 'object',
    required: ['resourceType'],
    properties: { resourceType: { const: type } },
  });
  return {
    responses: {
      Refused: {
        description: 'The reason of the error',
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
