/** The OpenAPI 3.1 documents of administration, made from its table. They are the same for every server of a version. */
import type { TObject, TSchema } from '@sinclair/typebox';
import type { Json } from '../openapi/components';
import { AccessExplanation, AccessQuestion } from './access-routes';
import { AuditPage } from './audit-routes';
import * as jobSchemas from './job-schemas';
import type { Mount } from './mounts';
import { ADMINISTRATION_ROUTES, type AdministrationRoute } from './routes';
import * as schemas from './schemas';
import * as serverSchemas from './server-schemas';
import * as deliverySchemas from './subscription-schemas';

const TAGS: Readonly<Record<string, string>> = {
  Tenants: 'Names, settings, status, export, import and removal',
  Clients: 'Programs that may access the data of a tenant',
  Users: 'People who sign in to a tenant',
  Issuers: 'Identity providers whose tokens a tenant accepts',
  Policies: 'Rules of access to resources and elements',
  Keys: 'Keys that sign the tokens of a tenant',
  Packages: 'Implementation guides',
  Indexes: 'Search indexes',
  Access: 'Who may do what, and why',
  Audit: 'Who did what: AuditEvents with names',
  Jobs: 'Imports of packages and reindexes, which take long',
  Subscriptions: 'Deliveries of Subscriptions',
  Server: 'The server with all its tenants',
  Description: 'This document',
};

const PATH_PARAMETERS: Readonly<Record<string, string>> = {
  tenant: 'Name of the tenant',
  client: 'Id of the client',
  secret: 'Id of the secret',
  user: 'Id of the account',
  policy: 'Name of the policy',
  job: 'Id of the job',
  fhirRelease: 'FHIR release: r4 or r4b',
  subscription: 'Id of the Subscription',
};
const HEADERS: Readonly<Record<string, string>> = {
  'If-Match': 'Only if the ETag is this one',
  'If-None-Match': '* : only if there is none',
};
const TEXT = { type: 'string' };

/** The components in the order of the document. */
const COMPONENTS: readonly TSchema[] = [
  ...[schemas.Removed, schemas.Tenant, schemas.TenantList, schemas.NewTenant, schemas.TenantChanges],
  ...[schemas.DescribedTenant, schemas.TenantRemoval, schemas.TenantImport, schemas.SettingList],
  ...[schemas.Client, schemas.ClientList, schemas.ClientChanges, schemas.NewClient, schemas.MadeClient],
  ...[schemas.NewSecret, schemas.SecretRequest, schemas.User, schemas.UserList, schemas.UserChanges],
  ...[
    schemas.NewUser,
    schemas.InvitationRequest,
    schemas.Invitation,
    schemas.Issuer,
    schemas.IssuerList,
    schemas.NewIssuer,
    schemas.KeyRequest,
  ],
  ...[schemas.KeyList, schemas.Policy, schemas.PolicyList, jobSchemas.PackageRequest, jobSchemas.PackageList],
  ...[
    jobSchemas.ReindexRequest,
    jobSchemas.ImportJob,
    jobSchemas.ReindexJob,
    jobSchemas.BulkExportJob,
    jobSchemas.BulkImportJob,
    jobSchemas.Job,
    jobSchemas.JobList,
  ],
  jobSchemas.CancelledJob,
  ...[deliverySchemas.Delivery, deliverySchemas.DeliveryList, deliverySchemas.DescribedDelivery],
  deliverySchemas.DeliveryChange,
  ...[serverSchemas.Server, serverSchemas.SettingsInForce, serverSchemas.OpenJobList],
  ...[AuditPage, AccessQuestion, AccessExplanation],
];
const OPERATION_OUTCOME: Json = {
  description: 'What is wrong (https://hl7.org/fhir/R4/operationoutcome.html)',
  type: 'object',
  properties: {
    resourceType: { type: 'string', const: 'OperationOutcome' },
    issue: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          ...{ severity: TEXT, code: TEXT, diagnostics: TEXT },
          expression: { type: 'array', items: TEXT },
        },
        required: ['severity', 'code'],
      },
    },
  },
  required: ['resourceType', 'issue'],
};

const TITLES: Readonly<Record<Mount['name'], string>> = {
  operator: 'Andiron: administration',
  tenant: 'Andiron: administration of a tenant',
};
const INTRODUCTIONS: Readonly<Record<Mount['name'], string>> = {
  operator:
    'For administrators of the tenant system; in open mode also for requests from the machine of the server',
  tenant:
    'For administrators of the tenant in the address; in open mode also for requests from the machine of the server',
};
const TOKENS: Readonly<Record<Mount['name'], string>> = {
  operator: 'A token of the tenant system',
  tenant: 'A token of the tenant',
};

/** Returns the document of a mount, of a version of the program. Cost: some milliseconds. */
export function describeAdministration(version: string, mount: Mount): Json {
  const paths: Record<string, Record<string, unknown>> = {};
  const tags = new Set<string>();
  const queries: TObject[] = [];
  for (const [operationId, route] of Object.entries(ADMINISTRATION_ROUTES)) {
    const [method = ''] = route.address.split(' ');
    const path = mount.pathOf(route);
    if (path === undefined) continue;
    tags.add(route.tag);
    if (route.query !== undefined) queries.push(route.query);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const item = (paths[path] ??= names.length === 0 ? {} : { parameters: names.map(toReference) });
    item[method.toLowerCase()] = { operationId, ...describeRoute(route, method) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLES[mount.name],
      version,
      description: INTRODUCTIONS[mount.name],
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the address of the document itself.
    servers: [{ url: '../v1' }],
    tags: Object.entries(TAGS)
      .filter(([name]) => tags.has(name))
      .map(([name, description]) => ({ name, description })),
    security: [{ basic: [] }, { bearer: [] }, {}],
    paths,
    components: {
      schemas: {
        OperationOutcome: OPERATION_OUTCOME,
        ...Object.fromEntries(
          usedIn(paths).map((component) => [component.$id ?? '', describeSchema(component)]),
        ),
      },
      parameters: describeParameters(paths, queries),
      responses: {
        Error: {
          description:
            'An error, such as 401 without credentials, 403 without rights, 400 for a wrong request',
          content: OUTCOME_CONTENT,
        },
      },
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic', description: 'Id and secret of a client' },
        bearer: { type: 'http', scheme: 'bearer', description: TOKENS[mount.name] },
      },
    },
  };
}

/** Returns the components that the paths need, those inside of others included, in the order of the document. */
function usedIn(paths: object): readonly TSchema[] {
  const used = new Set<TSchema>();
  const visit = (described: object): void => {
    const text = JSON.stringify(described);
    for (const component of COMPONENTS) {
      if (used.has(component) || !text.includes(`"${REFERENCE}${component.$id}"`)) continue;
      used.add(component);
      visit(describeSchema(component));
    }
  };
  visit(paths);
  return COMPONENTS.filter((component) => used.has(component));
}

function describeParameters(paths: Json, queries: readonly TObject[]): Json {
  const inQuery = queries.flatMap((query) =>
    Object.entries<Json>(query.properties).map(([name, { description, ...kind }]) => ({
      ...{ name, in: 'query', description, schema: describeSchema(kind) },
      ...(query.required?.includes(name) === true ? { required: true } : {}),
    })),
  );
  const inPath = Object.entries(PATH_PARAMETERS).filter(([name]) =>
    Object.keys(paths).some((path) => path.includes(`{${name}}`)),
  );
  const all = [
    ...inPath.map(([name, description]) => ({
      ...{ name, in: 'path', required: true, description, schema: TEXT },
    })),
    ...inQuery,
    ...Object.entries(HEADERS).map(([name, description]) => ({
      ...{ name, in: 'header', description, schema: TEXT },
    })),
  ];
  return Object.fromEntries(all.map((parameter) => [parameter.name, parameter]));
}

function toReference(name: string): Json {
  return { $ref: `#/components/parameters/${name}` };
}

function describeRoute(route: AdministrationRoute, method: string): Json {
  const { tag, summary, query, headers = [], body, file, isBodyOptional, answers, errors = {} } = route;
  const parameters = [...Object.keys(query?.properties ?? {}), ...headers];
  const described = Object.entries(answers).map(([status, { description, schema, type }]) => [
    status,
    {
      description,
      ...(status === '202' && method === 'POST'
        ? { headers: { Location: { description: 'Address of the job', schema: TEXT } } }
        : {}),
      content: { [type ?? 'application/json']: { schema: shapeOf(schema, type) } },
    },
  ]);
  const refused = Object.entries(errors).map(([status, description]) => [
    status,
    { description, content: OUTCOME_CONTENT },
  ]);
  return {
    ...{ tags: [tag], summary },
    ...(route.who === 'everybody' ? { security: [{}] } : {}),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(toReference) }),
    ...(body === undefined && file === undefined
      ? {}
      : { requestBody: { required: isBodyOptional !== true, content: describeBody(route, method) } }),
    responses: {
      ...Object.fromEntries([...described, ...refused]),
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function describeBody({ body, example, file }: AdministrationRoute, method: string): Json {
  const types =
    method === 'PATCH' ? ['application/json', 'application/merge-patch+json'] : ['application/json'];
  const content = { schema: shapeOf(body), ...(example === undefined ? {} : { example }) };
  return {
    ...(body === undefined ? {} : Object.fromEntries(types.map((type) => [type, content]))),
    ...(file === undefined ? {} : { [file]: { schema: TEXT } }),
  };
}

function shapeOf(schema: TSchema | undefined, type = 'application/json'): unknown {
  if (schema !== undefined) return inside(schema);
  return type === 'application/json' ? { type: 'object' } : TEXT;
}

const REFERENCE = '#/components/schemas/';
const componentOf = (name: string): Json => ({ $ref: REFERENCE + name });
const OUTCOME_CONTENT: Json = { 'application/fhir+json': { schema: componentOf('OperationOutcome') } };

/** The keywords of the document in their order. */
const KEYWORDS = [
  ...['type', 'const', 'enum', 'format', 'minimum', 'minLength', 'maxLength', 'writeOnly', 'items'],
  ...['properties', 'required', 'additionalProperties', 'anyOf', 'oneOf', 'discriminator', 'description'],
  'pattern',
] as const;

/** Returns a schema with references to the components in it, and without what only this program reads. */
function describeSchema(schema: Json): Json {
  const given = KEYWORDS.filter((keyword) => schema[keyword] !== undefined);
  return Object.fromEntries(given.map((keyword) => [keyword, describeKeyword(keyword, schema[keyword])]));
}

function describeKeyword(keyword: string, value: unknown): unknown {
  if (keyword === 'properties' && isObject(value))
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inside(member)]));
  return ['items', 'additionalProperties', 'anyOf', 'oneOf'].includes(keyword) ? inside(value) : value;
}

/** Returns the schemas inside of another one: a component as a reference. */
function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside);
  if (!isObject(value)) return value;
  return typeof value['$id'] === 'string' ? componentOf(value['$id']) : describeSchema(value);
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}
