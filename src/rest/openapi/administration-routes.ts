/** The addresses of administration below /w/system/api/v1, with what they take and answer. */
import type { Json } from './components';

/** A body that is JSON of a schema, unless it has another type. */
export interface DescribedContent {
  readonly schema?: string;
  readonly example?: Json;
  /** Default application/json. */
  readonly type?: string;
}

export interface AdministrationRoute {
  /** In upper case. */
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/tenants/{tenant}` */
  readonly path: string;
  readonly operationId: string;
  readonly tag: string;
  readonly summary: string;
  /** Names of parameters of the query and headers (administration.ts). */
  readonly parameters?: readonly string[];
  readonly bodies?: readonly DescribedContent[];
  readonly isBodyOptional?: boolean;
  /** By status; a text stands for one without a body. */
  readonly answers: Readonly<Record<string, DescribedContent & { readonly description: string }>>;
  /** Errors by status, besides those of all addresses. */
  readonly errors?: Readonly<Record<string, string>>;
  /** True: it has no data, and answers everybody. */
  readonly isOpen?: true;
}

const TENANT = '/tenants/{tenant}';
const LINES = 'application/x-ndjson';
const MERGE_PATCH = 'application/merge-patch+json';
const ABSENT = { '404': 'There is no such tenant' };
const NOT_FOUND = { '404': 'There is no such tenant, or nothing of this name in it' };
const ok = (schema: string, description = 'Done') => ({ '200': { description, schema } });
const made = (schema: string) => ({ '201': { description: 'Made', schema } });
const patch = (schema: string, example: Json): readonly DescribedContent[] => [
  { schema, example },
  { schema, example, type: MERGE_PATCH },
];
const QUEUED = {
  '202': { description: 'The job, whose address is in Location', schema: 'Job' },
} as const;
const BUSY = { '409': 'The tenant has a job of the kind that has not ended, or is not active' };

const TENANTS: readonly AdministrationRoute[] = [
  {
    ...{ method: 'GET', path: '/tenants', operationId: 'listTenants', tag: 'Tenants' },
    summary: 'List tenants by name, 1,000 at a time',
    parameters: ['after'],
    answers: ok('TenantList', 'The tenants'),
  },
  {
    ...{ method: 'POST', path: '/tenants', operationId: 'createTenant', tag: 'Tenants' },
    summary: 'Make a tenant',
    bodies: [{ schema: 'NewTenant', example: { name: 'acme', display: 'Acme', settings: { validation: 'full' } } }],
    answers: made('Tenant'),
    errors: { '409': 'The name is taken' },
  },
  {
    ...{ method: 'GET', path: TENANT, operationId: 'getTenant', tag: 'Tenants' },
    summary: 'Show a tenant with its settings and usage',
    answers: ok('DescribedTenant', 'The tenant'),
    errors: ABSENT,
  },
  {
    ...{ method: 'PATCH', path: TENANT, operationId: 'changeTenant', tag: 'Tenants' },
    summary: 'Change settings, status or display name',
    bodies: patch('TenantChanges', { settings: { validation: 'structure', 'search-unknown': null } }),
    answers: ok('DescribedTenant', 'The tenant after the change'),
    errors: { ...ABSENT, '409': 'The tenant is being imported or deleted' },
  },
  {
    ...{ method: 'DELETE', path: TENANT, operationId: 'deleteTenant', tag: 'Tenants' },
    summary: 'Delete a tenant with all its data, permanently',
    parameters: ['confirm'],
    answers: {
      '200': { description: 'Deleted', schema: 'TenantRemoval' },
      '202': { description: 'Not complete: send the request again', schema: 'TenantRemoval' },
    },
    errors: { ...ABSENT, '409': 'Another process imports or deletes it' },
  },
  {
    ...{ method: 'GET', path: `${TENANT}/export`, operationId: 'exportTenant', tag: 'Tenants' },
    summary: 'Export all data of a tenant as lines of JSON',
    parameters: ['current'],
    answers: { '200': { description: 'The lines; without the last one, the export is not complete', type: LINES } },
    errors: ABSENT,
  },
  {
    ...{ method: 'POST', path: `${TENANT}/import`, operationId: 'importTenant', tag: 'Tenants' },
    summary: 'Make a tenant from an export',
    bodies: [{ type: LINES }],
    answers: made('TenantImport'),
    errors: { '409': 'The name is taken' },
  },
  {
    ...{ method: 'GET', path: '/settings', operationId: 'listSettings', tag: 'Tenants' },
    summary: 'List the settings that tenants can have, with the defaults of this server',
    answers: ok('SettingList', 'The settings'),
  },
]; // prettier-ignore

const CLIENTS: readonly AdministrationRoute[] = [
  {
    ...{ method: 'GET', path: `${TENANT}/clients`, operationId: 'listClients', tag: 'Clients' },
    summary: 'List the clients of a tenant',
    answers: ok('ClientList', 'The clients'),
    errors: ABSENT,
  },
  {
    ...{ method: 'POST', path: `${TENANT}/clients`, operationId: 'createClient', tag: 'Clients' },
    summary: 'Make a client, with a secret unless it has keys or is public',
    bodies: [{ schema: 'NewClient', example: { name: 'Lab', scopes: ['system/Observation.cruds'] } }],
    answers: made('MadeClient'),
    errors: ABSENT,
  },
  {
    ...{ method: 'GET', path: `${TENANT}/clients/{client}`, operationId: 'getClient', tag: 'Clients' },
    summary: 'Show a client',
    answers: ok('Client', 'The client'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'PATCH', path: `${TENANT}/clients/{client}`, operationId: 'changeClient', tag: 'Clients' },
    summary: 'Change a client',
    bodies: patch('ClientChanges', { disabled: true }),
    answers: ok('Client', 'The client after the change'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'POST', path: `${TENANT}/clients/{client}/secrets`, operationId: 'createSecret', tag: 'Clients' },
    summary: 'Make another secret',
    bodies: [{ schema: 'SecretRequest', example: { expires: '2030-01-01T00:00:00Z' } }],
    isBodyOptional: true,
    answers: made('NewSecret'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'DELETE', path: `${TENANT}/clients/{client}/secrets/{secret}`, operationId: 'deleteSecret' },
    ...{ tag: 'Clients', summary: 'Remove a secret' },
    answers: ok('Removed', 'Removed'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'GET', path: `${TENANT}/issuers`, operationId: 'listIssuers', tag: 'Issuers' },
    summary: 'List the identity providers whose tokens the tenant accepts',
    answers: ok('IssuerList', 'The issuers'),
    errors: ABSENT,
  },
  {
    ...{ method: 'PUT', path: `${TENANT}/issuers`, operationId: 'putIssuer', tag: 'Issuers' },
    summary: 'Add an issuer, or change the one of this name',
    bodies: [
      {
        schema: 'NewIssuer',
        example: {
          ...{ issuer: 'https://login.example', client: 'lab', audience: 'andiron' },
          jwksUrl: 'https://login.example/jwks',
        },
      },
    ],
    answers: ok('IssuerList', 'All issuers'),
    errors: ABSENT,
  },
  {
    ...{ method: 'DELETE', path: `${TENANT}/issuers`, operationId: 'deleteIssuer', tag: 'Issuers' },
    summary: 'Remove an issuer',
    parameters: ['issuer'],
    answers: ok('Removed', 'Removed'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'POST', path: `${TENANT}/keys`, operationId: 'rotateKeys', tag: 'Keys' },
    summary: 'Make new signing keys',
    bodies: [{ schema: 'KeyRequest', example: { revoke: false } }],
    isBodyOptional: true,
    answers: made('KeyList'),
    errors: ABSENT,
  },
]; // prettier-ignore

const USERS: readonly AdministrationRoute[] = [
  {
    ...{ method: 'GET', path: `${TENANT}/users`, operationId: 'listUsers', tag: 'Users' },
    summary: 'List the users who sign in to a tenant',
    answers: ok('UserList', 'The users'),
    errors: ABSENT,
  },
  {
    ...{ method: 'POST', path: `${TENANT}/users`, operationId: 'createUser', tag: 'Users' },
    summary: 'Make an account',
    bodies: [
      {
        schema: 'NewUser',
        example: { name: 'doc', display: 'Dr. Doc', password: 'a long password', fhirUser: 'Practitioner/doc' },
      },
    ],
    answers: made('User'),
    errors: ABSENT,
  },
  {
    ...{ method: 'GET', path: `${TENANT}/users/{user}`, operationId: 'getUser', tag: 'Users' },
    summary: 'Show an account',
    answers: ok('User', 'The account'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'PATCH', path: `${TENANT}/users/{user}`, operationId: 'changeUser', tag: 'Users' },
    summary: 'Change an account',
    bodies: patch('UserChanges', { disabled: true }),
    answers: ok('User', 'The account after the change'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'DELETE', path: `${TENANT}/users/{user}`, operationId: 'deleteUser', tag: 'Users' },
    summary: 'Remove an account',
    answers: ok('Removed', 'Removed'),
    errors: NOT_FOUND,
  },
]; // prettier-ignore

const POLICIES: readonly AdministrationRoute[] = [
  {
    ...{ method: 'GET', path: `${TENANT}/policies`, operationId: 'listPolicies', tag: 'Policies' },
    summary: 'List the policies of a tenant',
    answers: ok('PolicyList', 'The policies'),
    errors: ABSENT,
  },
  {
    ...{ method: 'GET', path: `${TENANT}/policies/{policy}`, operationId: 'getPolicy', tag: 'Policies' },
    summary: 'Show a policy; its ETag is for If-Match',
    answers: ok('Policy', 'The policy'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'PUT', path: `${TENANT}/policies/{policy}`, operationId: 'putPolicy', tag: 'Policies' },
    summary: 'Make or replace a policy',
    parameters: ['If-Match', 'If-None-Match'],
    bodies: [
      { schema: 'Policy', example: { rules: [{ types: ['Observation'], interactions: 'rs' }], hidden: [] } },
    ],
    answers: { ...made('Policy'), ...ok('Policy', 'Replaced') },
    errors: { ...ABSENT, '412': 'The policy has changed, or exists' },
  },
  {
    ...{ method: 'DELETE', path: `${TENANT}/policies/{policy}`, operationId: 'deletePolicy', tag: 'Policies' },
    summary: 'Remove a policy',
    parameters: ['If-Match'],
    answers: ok('Removed', 'Removed'),
    errors: { ...NOT_FOUND, '412': 'The policy has changed' },
  },
]; // prettier-ignore

const JOBS: readonly AdministrationRoute[] = [
  {
    ...{ method: 'GET', path: `${TENANT}/packages`, operationId: 'listPackages', tag: 'Packages' },
    summary: 'List the packages of implementation guides that a tenant has',
    answers: ok('PackageList', 'The packages'),
    errors: { ...ABSENT, '409': 'The tenant is not active' },
  },
  {
    ...{ method: 'POST', path: `${TENANT}/packages`, operationId: 'importPackage', tag: 'Packages' },
    summary: 'Import a package: one of the registry, or a file with its options in the query',
    parameters: ['release', 'examples', 'dependencies'],
    bodies: [
      { schema: 'PackageRequest', example: { package: 'hl7.fhir.uv.ips@2.0.0', dependencies: true } },
      { type: 'application/gzip' },
    ],
    answers: QUEUED,
    errors: { ...ABSENT, ...BUSY },
  },
  {
    ...{ method: 'POST', path: `${TENANT}/reindex`, operationId: 'reindexTenant', tag: 'Indexes' },
    summary: 'Repair the search index of a tenant from the stored versions',
    bodies: [{ schema: 'ReindexRequest', example: { release: 'r4' } }],
    isBodyOptional: true,
    answers: QUEUED,
    errors: { ...ABSENT, ...BUSY },
  },
  {
    ...{ method: 'GET', path: `${TENANT}/jobs`, operationId: 'listJobs', tag: 'Jobs' },
    summary: 'List the jobs of a tenant, the newest first; ended ones are kept for seven days, at most 100',
    answers: ok('JobList', 'The jobs'),
    errors: ABSENT,
  },
  {
    ...{ method: 'GET', path: `${TENANT}/jobs/{job}`, operationId: 'getJob', tag: 'Jobs' },
    summary: 'Show a job with its progress or end',
    answers: ok('Job', 'The job'),
    errors: NOT_FOUND,
  },
  {
    ...{ method: 'DELETE', path: `${TENANT}/jobs/{job}`, operationId: 'deleteJob', tag: 'Jobs' },
    summary: 'Cancel a job, or forget one that has ended',
    answers: {
      '200': { description: 'Cancelled before it began, or forgotten', schema: 'CancelledJob' },
      '202': { description: 'It is being cancelled', schema: 'Job' },
    },
    errors: NOT_FOUND,
  },
]; // prettier-ignore

export const ADMINISTRATION_ROUTES: readonly AdministrationRoute[] = [
  ...TENANTS,
  ...CLIENTS,
  ...USERS,
  ...POLICIES,
  ...JOBS,
  {
    ...{ method: 'GET', path: '/openapi.json', operationId: 'getAdministrationApi', tag: 'Description' },
    summary: 'Show this document',
    answers: { '200': { description: 'The document' } },
    isOpen: true,
  },
];
