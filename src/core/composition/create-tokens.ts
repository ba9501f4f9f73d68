import type { Tokens } from '../api/access';
import type { TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { Release } from '../fhir/release';
import type { AdministeredTenants } from '../oauth/administration';
import { DecoyKeys } from '../oauth/decoy-keys';
import type { SigningKeys } from '../oauth/signing-keys';
import { TokenEndpoint, type TokenEndpointParts } from '../oauth/token-endpoint';
import type { BaseServices } from './create-foundation';

export interface TokenParts extends TokenEndpointParts {
  readonly keys: SigningKeys;
  readonly tenants: AdministeredTenants;
  readonly digest: BaseServices['digest'];
  /** As `AccessParts.decoy`. */
  decoy(tenant: string, release: Release): TenantSpace | undefined;
}

/** The token endpoint, and the keys that sign tokens. */
export function createTokens(parts: TokenParts): Tokens {
  const { keys, tenants, findSpace, decoy } = parts;
  const endpoint = new TokenEndpoint(parts);
  const decoys = new DecoyKeys(parts.digest);
  return {
    grant: (request) => endpoint.grant(request),
    revoke: (request) => endpoint.revoke(request),
    introspect: (request) => endpoint.introspect(request),
    async publicKeys(tenant) {
      const space = await findSpace(tenant, 'r4');
      if (space !== undefined) return (await keys.publicKeys(space)).map(({ publicKey }) => publicKey);
      if (decoy(tenant, 'r4') === undefined) throw fhirError('unknownTenant');
      return decoys.of(tenant);
    },
    async rotateKeys(tenant, revokes) {
      const ids = await keys.rotate(await tenants.spaceOf(tenant), revokes);
      tenants.changed(tenant);
      return ids;
    },
  };
}
