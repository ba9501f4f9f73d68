/** The addresses that identify a tenant in tokens. */
import type { Release } from '../fhir/release';

export interface TenantAddress {
  /** `{base_url}` without a trailing slash. */
  readonly base: string;
  readonly tenant: string;
}

export const toIssuer = ({ base, tenant }: TenantAddress): string => `${base}/w/${tenant}/oidc`;
export const toRoot = ({ base, tenant }: TenantAddress, release: Release): string =>
  `${base}/w/${tenant}/api/v1/fhir/${release}`;

/** Returns the link of an invitation. Browsers send no server what stands behind the `#`. */
export const toInvitation = (tenant: TenantAddress, secret: string): string =>
  `${toIssuer(tenant)}/invitation#${secret}`;

/** Path of the style of this server's pages, below the issuer; another style has another path, because it is cached. */
export const STYLE_PATH = '/style/1';
