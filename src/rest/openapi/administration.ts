/** Makes the OpenAPI 3.1 document of administration. Pure: it is the same for every server of a version. */
import {
  ADMINISTRATION_ROUTES,
  type AdministrationRoute,
  type DescribedContent,
} from './administration-routes';
import { ADMINISTRATION_SCHEMAS, schema } from './administration-schemas';
import type { Json } from './components';

const TAGS: Readonly<Record<string, string>> = {
  Tenants: 'Names, settings, status, export, import and removal',
  Clients: 'Programs that may access the data of a tenant',
  Users: 'People who sign in to a tenant',
  Issuers: 'Identity providers whose tokens a tenant accepts',
  Policies: 'Rules of access to resources and elements',
  Keys: 'Keys that sign the tokens of a tenant',
  Packages: 'Implementation guides',
  Indexes: 'Search indexes',
  Jobs: 'Imports of packages and reindexes, which take long',
  Description: 'This document',
};

const text = { type: 'string' };
const flag = { type: 'boolean' };
const inQuery = (name: string, description: string, kind: Json = text): Json => ({
  ...{ name, in: 'query', description, schema: kind },
});
const inHeader = (name: string, description: string): Json => ({
  ...{ name, in: 'header', description, schema: text },
});
const inPath = (name: string, description: string): Json => ({
  ...{ name, in: 'path', required: true, description, schema: text },
});

const PARAMETERS: Readonly<Record<string, Json>> = {
  tenant: inPath('tenant', 'Name of the tenant'),
  client: inPath('client', 'Id of the client'),
  secret: inPath('secret', 'Id of the secret'),
  user: inPath('user', 'Id of the account'),
  policy: inPath('policy', 'Name of the policy'),
  job: inPath('job', 'Id of the job'),
  after: inQuery('after', 'Only tenants after this name'),
  confirm: { ...inQuery('confirm', 'The name of the tenant again'), required: true },
  current: inQuery('current', 'Only the current versions, for other programs', flag),
  issuer: { ...inQuery('issuer', 'Name of the issuer, which is a URL'), required: true },
  release: inQuery('release', 'Of a file; by default that of the package', { enum: ['r4', 'r4b'], ...text }),
  examples: inQuery('examples', 'Of a file: also its examples', flag),
  dependencies: inQuery('dependencies', 'Of a file: first the packages that it needs', flag),
  'If-Match': inHeader('If-Match', 'Only if the ETag is this one'),
  'If-None-Match': inHeader('If-None-Match', '* : only if there is none'),
};

/** Returns the document of a version of the program. Cost: some milliseconds. */
export function describeAdministration(version: string): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of ADMINISTRATION_ROUTES) {
    const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const item = (paths[route.path] ??= names.length === 0 ? {} : { parameters: names.map(toReference) });
    item[route.method.toLowerCase()] = describeRoute(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Andiron: administration',
      version,
      description:
        'For administrators of the tenant system; in open mode also for requests from the machine of the server',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the address of the document itself.
    servers: [{ url: '../v1' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{ basic: [] }, { bearer: [] }, {}],
    paths,
    components: {
      schemas: {
        ...ADMINISTRATION_SCHEMAS,
        CancelledJob: { anyOf: [schema('Job'), schema('Removed')] },
      },
      parameters: PARAMETERS,
      responses: {
        Error: {
          description:
            'An error, such as 401 without credentials, 403 without rights, 400 for a wrong request',
          content: { 'application/fhir+json': { schema: schema('OperationOutcome') } },
        },
      },
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'Id and secret of a client' },
        bearer: { type: 'http', scheme: 'bearer', description: 'A token of the tenant system' },
      },
    },
  };
}

function toReference(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}

function describeRoute(route: AdministrationRoute): Json {
  const { operationId, tag, summary, parameters = [], bodies, isBodyOptional, answers, errors = {} } = route;
  const described = Object.entries(answers).map(([status, { description, ...content }]) => [
    status,
    {
      description,
      ...(status === '202' && route.method === 'POST'
        ? { headers: { Location: { description: 'Address of the job', schema: text } } }
        : {}),
      content: contentOf([content]),
    },
  ]);
  const refused = Object.entries(errors).map(([status, description]) => [
    status,
    { description, content: { 'application/fhir+json': { schema: schema('OperationOutcome') } } },
  ]);
  return {
    ...{ operationId, tags: [tag], summary },
    ...(route.isOpen === true ? { security: [{}] } : {}),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(toReference) }),
    ...(bodies === undefined
      ? {}
      : { requestBody: { required: isBodyOptional !== true, content: contentOf(bodies) } }),
    responses: {
      ...Object.fromEntries([...described, ...refused]),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function contentOf(contents: readonly DescribedContent[]): Json {
  return Object.fromEntries(
    contents.map(({ schema: name, example, type = 'application/json' }) => {
      const isJson = type.endsWith('json') && type !== 'application/x-ndjson';
      const shape = name === undefined ? { type: isJson ? 'object' : 'string' } : schema(name);
      return [type, { schema: shape, ...(example === undefined ? {} : { example }) }];
    }),
  );
}
