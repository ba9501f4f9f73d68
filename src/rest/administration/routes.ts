/**
 * The table of administration: each address below /w/system/api/v1 with what it takes and answers, and who may use it. The
 * routes of the operator and of tenants (mounts.ts), the checks of requests (serve-routes.ts), the types of handlers and the
 * OpenAPI documents (openapi.ts) are made from it.
 */
import { Type, type TSchema } from '@sinclair/typebox';
import { ACCESS_ROUTES } from './access-routes';
import { AUDIT_ROUTES } from './audit-routes';
import * as jobSchemas from './job-schemas';
import type { Routes } from './route';
import { flag, oneOf, RELEASE_OF_QUERY, text } from './schema-kinds';
import * as schemas from './schemas';
import * as serverSchemas from './server-schemas';
import * as deliverySchemas from './subscription-schemas';

export type { AdministrationRoute, Routes } from './route';

export const LINES = 'application/x-ndjson';
export const GZIP = 'application/gzip';
const SHORT_BODY = 64 * 1024;

const TENANT = '/tenants/{tenant}';
const CLOSED = { additionalProperties: false };
const ABSENT = { 404: 'The tenant does not exist' };
const NOT_FOUND = { 404: 'The tenant does not exist, or has nothing of this name' };
const KEPT = { 409: 'The tenant would have no administrator left' };
const BUSY = { 409: 'The tenant has a job of the kind that has not ended, or is not active' };
const QUEUED = { 202: { description: 'The job, whose address is in Location', schema: jobSchemas.Job } };
const ok = <Schema extends TSchema>(schema: Schema, description: string) => ({
  200: { description, schema },
});
const made = <Schema extends TSchema>(schema: Schema) => ({ 201: { description: 'Made', schema } });

export const TENANT_ROUTES = {
  listTenants: {
    address: 'GET /tenants', tag: 'Tenants', who: 'operator',
    summary: 'List tenants by name, 1,000 at a time',
    query: Type.Object(
      {
        after: Type.Optional(text('Only tenants after this name')),
        status: Type.Optional(oneOf(schemas.TENANT_STATUSES, 'Only tenants with this status')),
        contains: Type.Optional(text('Only tenants with this text in the name or the display name')),
      },
      CLOSED,
    ),
    answers: ok(schemas.TenantList, 'The tenants'),
  },
  createTenant: {
    address: 'POST /tenants', tag: 'Tenants', who: 'operator',
    summary: 'Make a tenant',
    body: schemas.NewTenant,
    longestBody: SHORT_BODY,
    example: { name: 'acme', display: 'Acme', settings: { validation: 'full' } },
    answers: made(schemas.Tenant),
    errors: { 409: 'The name is taken' },
  },
  getTenant: {
    address: `GET ${TENANT}`, tag: 'Tenants', who: 'administrators',
    summary: 'Show a tenant with its settings and usage',
    answers: ok(schemas.DescribedTenant, 'The tenant'),
    errors: ABSENT,
  },
  changeTenant: {
    address: `PATCH ${TENANT}`, tag: 'Tenants', who: 'administrators',
    summary: 'Change settings, status or display name',
    body: schemas.TenantChanges,
    longestBody: SHORT_BODY,
    example: { settings: { validation: 'structure', 'search-unknown': null } },
    answers: ok(schemas.DescribedTenant, 'The tenant after the change'),
    errors: { ...ABSENT, 409: 'The tenant is being imported or deleted' },
  },
  deleteTenant: {
    address: `DELETE ${TENANT}`, tag: 'Tenants', who: 'operator',
    summary: 'Delete a tenant with all its data, permanently',
    query: Type.Object({
      confirm: text('The name of the tenant again', 'the name of the tenant, which is deleted with all its data'),
    }),
    answers: {
      200: { description: 'Deleted', schema: schemas.TenantRemoval },
      202: { description: 'Not complete: send the request again', schema: schemas.TenantRemoval },
    },
    errors: { ...ABSENT, 409: 'Another process imports or deletes it' },
  },
} satisfies Routes; // prettier-ignore

export const TRANSFER_ROUTES = {
  exportTenant: {
    address: `GET ${TENANT}/export`, tag: 'Tenants', who: 'administrators',
    summary: 'Export all data of a tenant as lines of JSON',
    query: Type.Object({ current: Type.Optional(flag('Only the current versions, for other programs')) }),
    answers: { 200: { description: 'The lines; without the last one, the export is not complete', type: LINES } },
    errors: ABSENT,
  },
  importTenant: {
    address: `POST ${TENANT}/import`, tag: 'Tenants', who: 'operator',
    summary: 'Make a tenant from an export',
    file: LINES,
    answers: made(schemas.TenantImport),
    errors: { 409: 'The name is taken' },
  },
} satisfies Routes; // prettier-ignore

export const SETTING_ROUTES = {
  listSettings: {
    address: 'GET /settings', tag: 'Tenants', who: 'administrators',
    summary: 'List the settings that tenants can have, with the defaults of this server',
    answers: ok(schemas.SettingList, 'The settings'),
  },
} satisfies Routes; // prettier-ignore

export const CLIENT_ROUTES = {
  listClients: {
    address: `GET ${TENANT}/clients`, tag: 'Clients', who: 'administrators',
    summary: 'List the clients of a tenant',
    answers: ok(schemas.ClientList, 'The clients'),
    errors: ABSENT,
  },
  createClient: {
    address: `POST ${TENANT}/clients`, tag: 'Clients', who: 'administrators',
    summary: 'Make a client, with a secret unless it has keys or is public',
    body: schemas.NewClient,
    example: { name: 'Lab', scopes: ['system/Observation.cruds'] },
    answers: made(schemas.MadeClient),
    errors: ABSENT,
  },
  getClient: {
    address: `GET ${TENANT}/clients/{client}`, tag: 'Clients', who: 'administrators',
    summary: 'Show a client',
    answers: ok(schemas.Client, 'The client'),
    errors: NOT_FOUND,
  },
  changeClient: {
    address: `PATCH ${TENANT}/clients/{client}`, tag: 'Clients', who: 'administrators',
    summary: 'Change a client',
    body: schemas.ClientChanges,
    example: { disabled: true },
    answers: ok(schemas.Client, 'The client after the change'),
    errors: { ...NOT_FOUND, ...KEPT },
  },
  createSecret: {
    address: `POST ${TENANT}/clients/{client}/secrets`, tag: 'Clients', who: 'administrators',
    summary: 'Make another secret',
    body: schemas.SecretRequest,
    example: { expires: '2030-01-01T00:00:00Z' },
    isBodyOptional: true,
    answers: made(schemas.NewSecret),
    errors: NOT_FOUND,
  },
  deleteSecret: {
    address: `DELETE ${TENANT}/clients/{client}/secrets/{secret}`, tag: 'Clients', who: 'administrators',
    summary: 'Remove a secret',
    answers: ok(schemas.Removed, 'Removed'),
    errors: { ...NOT_FOUND, ...KEPT },
  },
  listIssuers: {
    address: `GET ${TENANT}/issuers`, tag: 'Issuers', who: 'administrators',
    summary: 'List the identity providers whose tokens the tenant accepts',
    answers: ok(schemas.IssuerList, 'The issuers'),
    errors: ABSENT,
  },
  putIssuer: {
    address: `PUT ${TENANT}/issuers`, tag: 'Issuers', who: 'administrators',
    summary: 'Add an issuer, or change the one of this name',
    body: schemas.NewIssuer,
    example: {
      ...{ issuer: 'https://login.example', client: 'lab', audience: 'andiron' },
      jwksUrl: 'https://login.example/jwks',
    },
    answers: ok(schemas.IssuerList, 'All issuers'),
    errors: { ...ABSENT, ...KEPT },
  },
  deleteIssuer: {
    address: `DELETE ${TENANT}/issuers`, tag: 'Issuers', who: 'administrators',
    summary: 'Remove an issuer',
    query: Type.Object({ issuer: text('Name of the issuer, which is a URL', 'the name of the issuer to remove') }),
    answers: ok(schemas.Removed, 'Removed'),
    errors: { ...NOT_FOUND, ...KEPT },
  },
  rotateKeys: {
    address: `POST ${TENANT}/keys`, tag: 'Keys', who: 'administrators',
    summary: 'Make new signing keys',
    body: schemas.KeyRequest,
    example: { revoke: false },
    isBodyOptional: true,
    answers: made(schemas.KeyList),
    errors: ABSENT,
  },
} satisfies Routes; // prettier-ignore

export const USER_ROUTES = {
  listUsers: {
    address: `GET ${TENANT}/users`, tag: 'Users', who: 'administrators',
    summary: 'List the users who sign in to a tenant',
    answers: ok(schemas.UserList, 'The users'),
    errors: ABSENT,
  },
  createUser: {
    address: `POST ${TENANT}/users`, tag: 'Users', who: 'administrators',
    summary: 'Make an account; without a password, it signs in after an invitation',
    body: schemas.NewUser,
    example: { name: 'doc', display: 'Dr. Doc', password: 'a long password', fhirUser: 'Practitioner/doc' },
    answers: made(schemas.User),
    errors: ABSENT,
  },
  getUser: {
    address: `GET ${TENANT}/users/{user}`, tag: 'Users', who: 'administrators',
    summary: 'Show an account',
    answers: ok(schemas.User, 'The account'),
    errors: NOT_FOUND,
  },
  changeUser: {
    address: `PATCH ${TENANT}/users/{user}`, tag: 'Users', who: 'administrators',
    summary: 'Change an account',
    body: schemas.UserChanges,
    example: { disabled: true },
    answers: ok(schemas.User, 'The account after the change'),
    errors: { ...NOT_FOUND, ...KEPT },
  },
  deleteUser: {
    address: `DELETE ${TENANT}/users/{user}`, tag: 'Users', who: 'administrators',
    summary: 'Remove an account',
    answers: ok(schemas.Removed, 'Removed'),
    errors: { ...NOT_FOUND, ...KEPT },
  },
  removeSecondFactor: {
    address: `DELETE ${TENANT}/users/{user}/second-factor`, tag: 'Users', who: 'administrators',
    summary: 'Remove the second factor of an account, whose app is lost; the password stays',
    answers: ok(schemas.Removed, 'Removed'),
    errors: NOT_FOUND,
  },
  inviteUser: {
    address: `POST ${TENANT}/users/{user}/invitations`, tag: 'Users', who: 'administrators',
    summary: 'Make a link by which the person sets the password, once within a day; an earlier link ends',
    body: schemas.InvitationRequest,
    example: { email: 'dora@hospital.example' },
    isBodyOptional: true,
    answers: made(schemas.Invitation),
    errors: NOT_FOUND,
  },
} satisfies Routes; // prettier-ignore

export const POLICY_ROUTES = {
  listPolicies: {
    address: `GET ${TENANT}/policies`, tag: 'Policies', who: 'administrators',
    summary: 'List the policies of a tenant',
    answers: ok(schemas.PolicyList, 'The policies'),
    errors: ABSENT,
  },
  getPolicy: {
    address: `GET ${TENANT}/policies/{policy}`, tag: 'Policies', who: 'administrators',
    summary: 'Show a policy; its ETag is for If-Match',
    answers: ok(schemas.Policy, 'The policy'),
    errors: NOT_FOUND,
  },
  putPolicy: {
    address: `PUT ${TENANT}/policies/{policy}`, tag: 'Policies', who: 'administrators',
    summary: 'Make or replace a policy',
    headers: ['If-Match', 'If-None-Match'],
    body: schemas.Policy,
    isCheckedByCore: true,
    example: { rules: [{ types: ['Observation'], interactions: 'rs' }], hidden: [] },
    answers: { ...made(schemas.Policy), ...ok(schemas.Policy, 'Replaced') },
    errors: { ...ABSENT, 412: 'The policy has changed, or exists' },
  },
  deletePolicy: {
    address: `DELETE ${TENANT}/policies/{policy}`, tag: 'Policies', who: 'administrators',
    summary: 'Remove a policy',
    headers: ['If-Match'],
    answers: ok(schemas.Removed, 'Removed'),
    errors: { ...NOT_FOUND, 412: 'The policy has changed' },
  },
} satisfies Routes; // prettier-ignore

export const PACKAGE_ROUTES = {
  listPackages: {
    address: `GET ${TENANT}/packages`, tag: 'Packages', who: 'administrators',
    summary: 'List the packages of implementation guides that a tenant has',
    answers: ok(jobSchemas.PackageList, 'The packages'),
    errors: { ...ABSENT, 409: 'The tenant is not active' },
  },
  importPackage: {
    address: `POST ${TENANT}/packages`, tag: 'Packages', who: 'administrators',
    summary: 'Import a package: one of the registry, or a file with its options in the query',
    query: Type.Partial(
      Type.Object({
        release: RELEASE_OF_QUERY,
        examples: flag('Of a file: also its examples'),
        dependencies: flag('Of a file: first the packages that it needs'),
      }),
      CLOSED,
    ),
    body: jobSchemas.PackageRequest,
    example: { package: 'hl7.fhir.uv.ips@2.0.0', dependencies: true },
    file: GZIP,
    answers: QUEUED,
    errors: { ...ABSENT, ...BUSY },
  },
} satisfies Routes; // prettier-ignore

export const JOB_ROUTES = {
  reindexTenant: {
    address: `POST ${TENANT}/reindex`, tag: 'Indexes', who: 'administrators',
    summary: 'Repair the search index of a tenant from the stored versions',
    body: jobSchemas.ReindexRequest,
    example: { release: 'r4' },
    isBodyOptional: true,
    answers: QUEUED,
    errors: { ...ABSENT, ...BUSY },
  },
  listJobs: {
    address: `GET ${TENANT}/jobs`, tag: 'Jobs', who: 'administrators',
    summary: 'List the jobs of a tenant, exports and imports of all clients among them, the newest first',
    answers: ok(jobSchemas.JobList, 'The jobs'),
    errors: ABSENT,
  },
  getJob: {
    address: `GET ${TENANT}/jobs/{job}`, tag: 'Jobs', who: 'administrators',
    summary: 'Show a job with its progress or end',
    answers: ok(jobSchemas.Job, 'The job'),
    errors: NOT_FOUND,
  },
  deleteJob: {
    address: `DELETE ${TENANT}/jobs/{job}`, tag: 'Jobs', who: 'administrators',
    summary: 'Cancel a job, or forget one that has ended; an export or import is removed with its files',
    answers: {
      200: { description: 'Cancelled before it began, or removed', schema: jobSchemas.CancelledJob },
      202: { description: 'It is being cancelled', schema: jobSchemas.Job },
    },
    errors: NOT_FOUND,
  },
} satisfies Routes; // prettier-ignore

const DELIVERY = `${TENANT}/subscriptions/{fhirRelease}/{subscription}` as const;
export const SUBSCRIPTION_ROUTES = {
  listSubscriptions: {
    address: `GET ${TENANT}/subscriptions`, tag: 'Subscriptions', who: 'administrators',
    summary: 'List the Subscriptions of a tenant with their deliveries, without those that clients have switched off',
    query: deliverySchemas.SubscriptionQuery,
    answers: ok(deliverySchemas.DeliveryList, 'At most 100 Subscriptions'),
    errors: ABSENT,
  },
  getSubscription: {
    address: `GET ${DELIVERY}`, tag: 'Subscriptions', who: 'administrators',
    summary: 'Show the deliveries of a Subscription, with its last events',
    answers: ok(deliverySchemas.DescribedDelivery, 'The deliveries'),
    errors: NOT_FOUND,
  },
  changeSubscription: {
    address: `PATCH ${DELIVERY}`, tag: 'Subscriptions', who: 'administrators',
    summary: 'Deliver now, or switch a Subscription off or on',
    body: deliverySchemas.DeliveryChange,
    longestBody: SHORT_BODY,
    example: { status: 'requested' },
    answers: ok(deliverySchemas.DescribedDelivery, 'The deliveries after the change'),
    errors: { ...NOT_FOUND, 422: 'It has no author any more, or the tenant has too many Subscriptions' },
  },
  listAllSubscriptions: {
    address: 'GET /server/subscriptions', tag: 'Server', who: 'operator',
    summary: 'List the Subscriptions of all tenants with their deliveries',
    query: deliverySchemas.SubscriptionQuery,
    answers: ok(deliverySchemas.DeliveryList, 'At most 100 Subscriptions'),
  },
} satisfies Routes; // prettier-ignore

export const SERVER_ROUTES = {
  getServer: {
    address: 'GET /server', tag: 'Server', who: 'operator',
    summary: 'Show all processes, PostgreSQL, Redis, what waits, slow searches, and limits that were reached',
    answers: ok(serverSchemas.Server, 'The state'),
  },
  getSettingsInForce: {
    address: 'GET /server/settings', tag: 'Server', who: 'operator',
    summary: 'List the settings of the process that answers, with their sources and without secrets',
    answers: ok(serverSchemas.SettingsInForce, 'The settings'),
  },
  listOpenJobs: {
    address: 'GET /server/jobs', tag: 'Server', who: 'operator',
    summary: 'List the jobs of all tenants that have not ended, the oldest first, at most 200',
    answers: ok(serverSchemas.OpenJobList, 'The jobs'),
  },
  stopJob: {
    address: 'DELETE /server/jobs/{job}', tag: 'Server', who: 'operator',
    summary: 'Stop a job of any tenant; of an asynchronous request, an export or an import nothing is left',
    answers: { 202: { description: 'It stops within seconds', schema: schemas.Removed } },
    errors: { 404: 'There is no such job, or it has ended' },
  },
} satisfies Routes; // prettier-ignore

export const API_ROUTES = {
  getAdministrationApi: {
    address: 'GET /openapi.json',
    tag: 'Description',
    who: 'everybody',
    summary: 'Show this document',
    answers: { 200: { description: 'The document' } },
  },
} satisfies Routes;

/** All routes by the ids of their operations. */
export const ADMINISTRATION_ROUTES: Routes = {
  ...TENANT_ROUTES,
  ...TRANSFER_ROUTES,
  ...SETTING_ROUTES,
  ...CLIENT_ROUTES,
  ...USER_ROUTES,
  ...POLICY_ROUTES,
  ...PACKAGE_ROUTES,
  ...JOB_ROUTES,
  ...SUBSCRIPTION_ROUTES,
  ...SERVER_ROUTES,
  ...AUDIT_ROUTES,
  ...ACCESS_ROUTES,
  ...API_ROUTES,
};
