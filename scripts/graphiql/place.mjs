/** The address of the page, and of the gateway of one tenant and release. A prefix before `/w/` does not matter. */
const ADDRESS = /^(.*)\/w\/([^/]+)\/api\/v1\/graphql\/([^/]+)\/?$/;

const [, prefix, tenant, release] = ADDRESS.exec(window.location.pathname);

export const place = { tenant, release };

export function gatewayAddress(ofTenant = tenant, ofRelease = release) {
  return `${prefix}/w/${encodeURIComponent(ofTenant)}/api/v1/graphql/${ofRelease}`;
}

export const consoleAddress = `${prefix}/`;
export const docsAddress = `${prefix}/docs/`;

/** The server lists its tenants to administrators only. */
export const tenantsAddress = `${prefix}/w/system/api/v1/tenants`;
