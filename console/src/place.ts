/** The addresses of the server and of the screens. A prefix before them does not matter. */

export const RELEASES = ['r4', 'r4b'] as const;
export type Release = (typeof RELEASES)[number];

/** One tenant's data of one release. */
export interface Space {
  readonly tenant: string;
  readonly release: Release;
}

/** The operator signs in to this tenant, and administers all of them; tokens of a release are equal here. */
export const ADMINISTRATION: Space = { tenant: 'system', release: 'r4' };

/** A space, or the parameters of a pattern in its place. */
interface AnySpace {
  readonly tenant: string;
  readonly release: string;
}

const below = (root: string, rest: string): string => (rest === '' ? root : `${root}/${rest}`);

/** Path of the root of the server without its last slash: empty, or the prefix of a proxy. */
export const PREFIX = new URL(
  document.documentElement.dataset['root'] ?? '/',
  `${location.origin}${location.pathname}`,
).pathname.replace(/\/$/, '');

/** True: the server answers nobody who has not signed in. */
export function isSignInNeeded(): boolean {
  return document.documentElement.dataset['access'] === 'enforced';
}

export function isRelease(text: string | undefined): text is Release {
  return RELEASES.some((release) => release === text);
}

/** An address of the server, absolute, as people copy it. */
export function absolute(path: string): string {
  return `${location.origin}${PREFIX}${path}`;
}

export function tenantPath(tenant: string, rest = ''): string {
  return below(`/w/${tenant}`, rest);
}

export function fhirPath({ tenant, release }: AnySpace, rest = ''): string {
  return below(tenantPath(tenant, `api/v1/fhir/${release}`), rest);
}

export function graphqlPath({ tenant, release }: Space): string {
  return tenantPath(tenant, `api/v1/graphql/${release}`);
}

export function consolePath(tenant: string, rest = ''): string {
  return below(tenantPath(tenant, 'console'), rest);
}

/** Path of a screen that has no FHIR address. */
export function screenPath({ tenant, release }: AnySpace, screen: string): string {
  return consolePath(tenant, `${release}/${screen}`);
}

/** Path of a screen of the operator's administration; without a tenant that of the list of tenants. */
export function operatorPath(tenant = '', screen = ''): string {
  return below(below(consolePath(ADMINISTRATION.tenant, 'administration'), tenant), screen);
}

/** Path of a screen of the server, for its operator. */
export function serverPath(screen = ''): string {
  return below(consolePath(ADMINISTRATION.tenant, 'server'), screen);
}

/** Path of a screen of the administration of a tenant by its own administrators. */
export function ownAdministrationPath(tenant: string, screen = ''): string {
  return below(consolePath(tenant, 'administration'), screen);
}

const OWN = /^\/w\/([^/]+)\/console\/administration(?:\/|$)/;

/** The tenant whose own administration is shown; undefined: that of the operator, or no administration. */
export function ownAdministration(): string | undefined {
  const [, tenant] = OWN.exec(location.pathname.slice(PREFIX.length)) ?? [];
  return tenant === ADMINISTRATION.tenant ? undefined : tenant;
}

/** Path of a screen of the administration that is shown. */
export function administrationPath(tenant: string, screen = ''): string {
  return ownAdministration() === tenant
    ? ownAdministrationPath(tenant, screen)
    : operatorPath(tenant, screen);
}

/** Path of the screen of a resource, or of one of its versions. */
export function resourcePath(space: Space, type: string, id: string, version?: string): string {
  return fhirPath(space, version === undefined ? `${type}/${id}` : `${type}/${id}/_history/${version}`);
}

/** Path of the screen that explains a code. */
export function codePath(space: Space, system: string, code: string): string {
  return `${screenPath(space, 'terminology')}?${new URLSearchParams({ system, code }).toString()}`;
}

/** Path of a concept on the screen of its code system, of which it is the resource with this id. */
export function conceptPath(space: Space, id: string, code: string): string {
  return `${screenPath(space, `terminology/CodeSystem/${id}`)}?${new URLSearchParams({ code }).toString()}`;
}
