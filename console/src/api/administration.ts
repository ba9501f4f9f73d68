/**
 * Administration over HTTP, typed by the server's own document: tenants and what belongs to them. The operator sends it to
 * the addresses of the tenant `system`, the administrator of a tenant to the same ones of the own tenant: which ones, is
 * decided here by the address of the screen. All functions throw `Failure`.
 */
import createClient from 'openapi-fetch';
import type { components, paths } from '../__generated__/administration';
import { ADMINISTRATION, ownAdministration, tenantPath } from '../place';
import { toFailure } from './failure';
import { isObject, parseJson, textOf } from './json';
import { request, send } from './send';

type Schemas = components['schemas'];
export type Tenant = Schemas['Tenant'];
export type TenantDetails = Schemas['DescribedTenant'];
export type Removal = Schemas['TenantRemoval'];
export type SettingDescription = Schemas['SettingList']['settings'][number];
export type Client = Schemas['Client'];
export type MadeClient = Schemas['MadeClient'];
export type ClientChanges = Schemas['ClientChanges'];
/** A secret, which the server shows once. */
export type NewSecret = Schemas['NewSecret'];
export type User = Schemas['User'];
export type UserChanges = Schemas['UserChanges'];
export type NewUser = Schemas['NewUser'];
export type Invitation = Schemas['Invitation'];
export type ReleaseScope = User['release'];
export type Issuer = Schemas['Issuer'];
export type Policy = Schemas['Policy'];
export type PolicyRule = Policy['rules'][number];
export type NamedPolicy = Schemas['PolicyList']['policies'][number];
export type PackageRecord = Schemas['PackageList']['packages'][number];
export type Job = Schemas['Job'];
export type Delivery = Schemas['Delivery'];
export type ServerState = Schemas['Server'];
export type ServerProcess = ServerState['processes'][number];
export type SettingInForce = Schemas['SettingsInForce']['settings'][number];
export type OpenJob = Schemas['OpenJobList']['jobs'][number];
export type DeliveryDetails = Schemas['DescribedDelivery'];
export type AccessQuestion = Schemas['AccessQuestion'];
export type AccessExplanation = Schemas['AccessExplanation'];
export type AuditPage = Schemas['AuditPage'];
export type AuditEvent = AuditPage['events'][number];
export type AuditFilters = NonNullable<paths['/tenants/{tenant}/audit']['get']['parameters']['query']>;

const ROOT = tenantPath(ADMINISTRATION.tenant, 'api/v1');

/** The address of the operator, or in its place that of the tenant whose own administration is shown. */
function addressFor(path: string): string {
  const tenant = ownAdministration();
  if (tenant === undefined) return path;
  const own = tenantPath(tenant, 'api/v1');
  return path
    .replace(`${ROOT}/tenants/${tenant}/`, `${own}/`)
    .replace(`${ROOT}/tenants/${tenant}`, `${own}/tenant`)
    .replace(ROOT, own);
}

/** Sends what the typed client asks for, with the token of the person; a refusal is thrown. */
async function sendTyped(typed: Request): Promise<Response> {
  const { pathname, search } = new URL(typed.url);
  const hasBody = typed.method !== 'GET' && typed.method !== 'DELETE';
  const response = await request(`${addressFor(pathname)}${search}`, {
    method: typed.method,
    headers: Object.fromEntries(typed.headers),
    ...(hasBody ? { body: await typed.text() } : {}),
    signal: typed.signal,
  });
  if (!response.ok) throw toFailure(response.status, await response.text());
  return response;
}

const api = createClient<paths>({ baseUrl: `${location.origin}${ROOT}`, fetch: sendTyped });

/** The answer, where there is one; refusals were thrown before. */
async function dataOf<Data>(
  sent: Promise<{ readonly data?: Data; readonly response: Response }>,
): Promise<Data> {
  const { data, response } = await sent;
  if (data === undefined) throw toFailure(response.status, '');
  return data;
}

const at = (tenant: string): { params: { path: { tenant: string } } } => ({ params: { path: { tenant } } });

/** All tenants, of which an answer has some. */
export async function listTenants(): Promise<readonly Tenant[]> {
  const all: Tenant[] = [];
  for (let after: string | undefined; ;) {
    const query = after === undefined ? {} : { after };
    const { tenants, next } = await dataOf(api.GET('/tenants', { params: { query } }));
    all.push(...tenants);
    if (next === undefined) return all;
    after = next;
  }
}

export function createTenant(tenant: Schemas['NewTenant']): Promise<Tenant> {
  return dataOf(api.POST('/tenants', { body: tenant }));
}

export function readTenant(tenant: string): Promise<TenantDetails> {
  return dataOf(api.GET('/tenants/{tenant}', at(tenant)));
}

/** Null resets a setting, or the name for people, to its default. */
export function changeTenant(tenant: string, changes: Schemas['TenantChanges']): Promise<TenantDetails> {
  return dataOf(api.PATCH('/tenants/{tenant}', { ...at(tenant), body: changes }));
}

/** Removes some of the tenant's data; sent again until the answer is complete. */
export function removeTenant(tenant: string): Promise<Removal> {
  const params = { path: { tenant }, query: { confirm: tenant } };
  return dataOf(api.DELETE('/tenants/{tenant}', { params }));
}

export async function listSettings(): Promise<readonly SettingDescription[]> {
  return (await dataOf(api.GET('/settings'))).settings;
}

/** Whether the server can send invitations by mail. */
export async function canMail(): Promise<boolean> {
  return (await dataOf(api.GET('/settings'))).mail;
}

export async function listClients(tenant: string): Promise<readonly Client[]> {
  return (await dataOf(api.GET('/tenants/{tenant}/clients', at(tenant)))).clients;
}

export function readClient(tenant: string, client: string): Promise<Client> {
  return dataOf(api.GET('/tenants/{tenant}/clients/{client}', { params: { path: { tenant, client } } }));
}

/**
 * The name of a client, for screens of data: by the address of the tenant itself, or by that of the operator. Null: the
 * caller may not read it, or there is no such client.
 */
export async function readClientName(tenant: string, client: string, isOwn: boolean): Promise<string | null> {
  const root = isOwn ? tenantPath(tenant, 'api/v1') : `${ROOT}/tenants/${encodeURIComponent(tenant)}`;
  const response = await request(`${root}/clients/${encodeURIComponent(client)}`);
  const text = await response.text();
  if (!response.ok) return null;
  const value = parseJson(text);
  return (isObject(value) ? textOf(value['name']) : undefined) ?? null;
}

export function createClientOf(tenant: string, client: ClientChanges): Promise<MadeClient> {
  return dataOf(api.POST('/tenants/{tenant}/clients', { ...at(tenant), body: client }));
}

export function changeClient(tenant: string, client: string, changes: ClientChanges): Promise<Client> {
  const params = { path: { tenant, client } };
  return dataOf(api.PATCH('/tenants/{tenant}/clients/{client}', { params, body: changes }));
}

/** Adds a secret. `expires`: an instant. */
export function addSecret(tenant: string, client: string, expires?: string): Promise<NewSecret> {
  const params = { path: { tenant, client } };
  const body = expires === undefined ? {} : { expires };
  return dataOf(api.POST('/tenants/{tenant}/clients/{client}/secrets', { params, body }));
}

export async function removeSecret(tenant: string, client: string, secret: string): Promise<void> {
  const params = { path: { tenant, client, secret } };
  await api.DELETE('/tenants/{tenant}/clients/{client}/secrets/{secret}', { params });
}

export async function listUsers(tenant: string): Promise<readonly User[]> {
  return (await dataOf(api.GET('/tenants/{tenant}/users', at(tenant)))).users;
}

export function readUser(tenant: string, user: string): Promise<User> {
  return dataOf(api.GET('/tenants/{tenant}/users/{user}', { params: { path: { tenant, user } } }));
}

export function createUser(tenant: string, user: NewUser): Promise<User> {
  return dataOf(api.POST('/tenants/{tenant}/users', { ...at(tenant), body: user }));
}

export function changeUser(tenant: string, user: string, changes: UserChanges): Promise<User> {
  const params = { path: { tenant, user } };
  return dataOf(api.PATCH('/tenants/{tenant}/users/{user}', { params, body: changes }));
}

export async function removeUser(tenant: string, user: string): Promise<void> {
  await api.DELETE('/tenants/{tenant}/users/{user}', { params: { path: { tenant, user } } });
}

/**
 * Makes the link by which a person sets the password. No other answer has it; a new one ends it. `email`: where it is sent in place of
 * the answer; empty: nowhere.
 */
export function inviteUser(tenant: string, user: string, email = ''): Promise<Invitation> {
  const params = { path: { tenant, user } };
  const body = email.trim() === '' ? {} : { email: email.trim() };
  return dataOf(api.POST('/tenants/{tenant}/users/{user}/invitations', { params, body }));
}

/** The password stays. */
export async function removeSecondFactor(tenant: string, user: string): Promise<void> {
  await api.DELETE('/tenants/{tenant}/users/{user}/second-factor', { params: { path: { tenant, user } } });
}

export async function listIssuers(tenant: string): Promise<readonly Issuer[]> {
  return (await dataOf(api.GET('/tenants/{tenant}/issuers', at(tenant)))).issuers;
}

export async function putIssuer(tenant: string, issuer: Schemas['NewIssuer']): Promise<void> {
  await api.PUT('/tenants/{tenant}/issuers', { ...at(tenant), body: issuer });
}

export async function removeIssuer(tenant: string, issuer: string): Promise<void> {
  await api.DELETE('/tenants/{tenant}/issuers', { params: { path: { tenant }, query: { issuer } } });
}

/** Makes new signing keys. `revoke`: all tokens that were issued before become invalid. */
export async function rotateKeys(tenant: string, revoke: boolean): Promise<void> {
  await api.POST('/tenants/{tenant}/keys', { ...at(tenant), body: { revoke } });
}

export async function listPolicies(tenant: string): Promise<readonly NamedPolicy[]> {
  return (await dataOf(api.GET('/tenants/{tenant}/policies', at(tenant)))).policies;
}

/** A policy with the entity tag that guards a change of it. */
export async function readPolicy(
  tenant: string,
  policy: string,
): Promise<{ readonly policy: Policy; readonly tag: string }> {
  const sent = api.GET('/tenants/{tenant}/policies/{policy}', { params: { path: { tenant, policy } } });
  const { response } = await sent;
  return { policy: await dataOf(sent), tag: response.headers.get('etag') ?? '' };
}

/** Writes a policy: over the one with the tag, or, without a tag, a new one. Status 412 otherwise. */
export async function putPolicy(
  tenant: string,
  policy: string,
  { body, tag }: { readonly body: Policy; readonly tag: string | undefined },
): Promise<void> {
  const header = tag === undefined ? { 'If-None-Match': '*' } : { 'If-Match': tag };
  const params = { path: { tenant, policy }, header };
  await api.PUT('/tenants/{tenant}/policies/{policy}', { params, body });
}

export async function removePolicy(tenant: string, policy: string, tag: string): Promise<void> {
  const params = { path: { tenant, policy }, header: { 'If-Match': tag } };
  await api.DELETE('/tenants/{tenant}/policies/{policy}', { params });
}

export async function listPackages(tenant: string): Promise<readonly PackageRecord[]> {
  return (await dataOf(api.GET('/tenants/{tenant}/packages', at(tenant)))).packages;
}

export type ImportOptions = Omit<Schemas['PackageRequest'], 'package'>;

/** Begins the import of a package of the registry, `name@version`. */
export function importPackage(tenant: string, name: string, options: ImportOptions): Promise<Job> {
  const body = { package: name, ...options };
  return dataOf(api.POST('/tenants/{tenant}/packages', { ...at(tenant), body }));
}

/** Begins the import of the file of a package. */
export async function importFile(tenant: string, file: Blob, options: ImportOptions): Promise<void> {
  const query = new URLSearchParams(
    Object.entries(options).map(([name, value]): [string, string] => [name, String(value)]),
  );
  await send(`${addressFor(`${ROOT}/tenants/${encodeURIComponent(tenant)}/packages`)}?${query.toString()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/gzip' },
    body: file,
  });
}

/** Why a client or person may do something, or may not; nothing is stored. */
export function explainAccess(tenant: string, question: AccessQuestion): Promise<AccessExplanation> {
  return dataOf(api.POST('/tenants/{tenant}/access', { ...at(tenant), body: question }));
}

/** A page of who did what. `page`: the `next` of the one before. */
export function listAudit(tenant: string, query: AuditFilters, signal?: AbortSignal): Promise<AuditPage> {
  const params = { path: { tenant }, query };
  return dataOf(api.GET('/tenants/{tenant}/audit', { params, ...(signal === undefined ? {} : { signal }) }));
}

/** All of it as CSV. */
export async function exportAudit(tenant: string, filters: AuditFilters): Promise<string> {
  const { each: _each, page: _page, ...query } = filters;
  const pairs = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const path = addressFor(`${ROOT}/tenants/${encodeURIComponent(tenant)}/audit.csv`);
  return (await send(`${path}?${new URLSearchParams(pairs).toString()}`)).text;
}

/** Begins to compare and repair the search index; without a release that of both. */
export function reindex(tenant: string, body: Schemas['ReindexRequest']): Promise<Job> {
  return dataOf(api.POST('/tenants/{tenant}/reindex', { ...at(tenant), body }));
}

/** The jobs of a tenant, newest first. */
export async function listJobs(tenant: string): Promise<readonly Job[]> {
  return (await dataOf(api.GET('/tenants/{tenant}/jobs', at(tenant)))).jobs;
}

export function readJob(tenant: string, job: string): Promise<Job> {
  return dataOf(api.GET('/tenants/{tenant}/jobs/{job}', { params: { path: { tenant, job } } }));
}

/** Cancels a job that has not ended, and forgets one that has. */
export async function cancelJob(tenant: string, job: string): Promise<void> {
  await api.DELETE('/tenants/{tenant}/jobs/{job}', { params: { path: { tenant, job } } });
}

/** A page of Subscriptions with their deliveries; without a tenant those of all tenants, for the operator. */
export function listDeliveries(
  tenant: string | undefined,
  query: { readonly status?: Delivery['status']; readonly cursor?: string },
): Promise<Schemas['DeliveryList']> {
  if (tenant === undefined) return dataOf(api.GET('/server/subscriptions', { params: { query } }));
  return dataOf(api.GET('/tenants/{tenant}/subscriptions', { params: { path: { tenant }, query } }));
}

const inAddress = ({ tenant, release, id }: Pick<Delivery, 'tenant' | 'release' | 'id'>) => ({
  params: { path: { tenant, fhirRelease: release, subscription: id } },
});

export function readDelivery(of: Delivery): Promise<DeliveryDetails> {
  return dataOf(api.GET('/tenants/{tenant}/subscriptions/{fhirRelease}/{subscription}', inAddress(of)));
}

/** `requested`: deliver now, or switch on; `off`: switch off. */
export function changeDelivery(of: Delivery, status: 'requested' | 'off'): Promise<DeliveryDetails> {
  const body = { status };
  return dataOf(
    api.PATCH('/tenants/{tenant}/subscriptions/{fhirRelease}/{subscription}', { ...inAddress(of), body }),
  );
}

export function readServer(): Promise<ServerState> {
  return dataOf(api.GET('/server'));
}

export async function listSettingsInForce(): Promise<readonly SettingInForce[]> {
  return (await dataOf(api.GET('/server/settings'))).settings;
}

/** The jobs of all tenants that have not ended. */
export async function listOpenJobs(): Promise<readonly OpenJob[]> {
  return (await dataOf(api.GET('/server/jobs'))).jobs;
}

export async function stopJob(job: string): Promise<void> {
  await api.DELETE('/server/jobs/{job}', { params: { path: { job } } });
}
