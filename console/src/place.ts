/** The addresses of the server and of the screens. A prefix before them does not matter. */

export const RELEASES = ['r4', 'r4b'] as const;
export type Release = (typeof RELEASES)[number];

/** One tenant's data of one release. */
export interface Space {
  readonly tenant: string;
  readonly release: Release;
}

/** Path of the root of the server without its last slash: empty, or the prefix of a proxy. */
export const PREFIX = new URL(
  document.documentElement.dataset['root'] ?? '/',
  `${location.origin}${location.pathname}`,
).pathname.replace(/\/$/, '');

export function isRelease(text: string | undefined): text is Release {
  return RELEASES.some((release) => release === text);
}

/** An address of the server, absolute, as people copy it. */
export function absolute(path: string): string {
  return `${location.origin}${PREFIX}${path}`;
}

export function fhirPath({ tenant, release }: Space, rest = ''): string {
  return `/w/${tenant}/api/v1/fhir/${release}${rest === '' ? '' : `/${rest}`}`;
}

export function graphqlPath({ tenant, release }: Space): string {
  return `/w/${tenant}/api/v1/graphql/${release}`;
}

/** Path of a screen that has no FHIR address. */
export function screenPath({ tenant, release }: Space, screen: string): string {
  return `/w/${tenant}/console/${release}/${screen}`;
}

export function tenantPath(tenant: string): string {
  return `/w/${tenant}`;
}

export function administrationPath(tenant?: string, screen = ''): string {
  const root = '/w/system/console/administration';
  return tenant === undefined ? root : `${root}/${tenant}${screen === '' ? '' : `/${screen}`}`;
}

/** Path of the screen of a resource, or of one of its versions. */
export function resourcePath(space: Space, type: string, id: string, version?: string): string {
  return fhirPath(space, version === undefined ? `${type}/${id}` : `${type}/${id}/_history/${version}`);
}

/** Path of the screen that explains a code. */
export function codePath(space: Space, system: string, code: string): string {
  return `${screenPath(space, 'terminology')}?${new URLSearchParams({ system, code }).toString()}`;
}
