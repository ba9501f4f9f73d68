/**
 * What tells clients how to get in: OpenID Connect Discovery 1.0 and SMART App Launch 2 (conformance). Only what works is
 * listed.
 */
import { ASSERTION_ALGORITHMS } from '../../core';

const GRANT_TYPES = ['client_credentials'];
const AUTHENTICATION_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** What both documents say. `base`: `{base_url}`. */
function common(base: string, tenant: string): object {
  const issuer = `${base}/w/${tenant}/oidc`;
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    token_endpoint: `${issuer}/token`,
    grant_types_supported: GRANT_TYPES,
    token_endpoint_auth_methods_supported: AUTHENTICATION_METHODS,
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    scopes_supported: ['system/*.cruds', 'system/*.rs', 'system/*.read', 'system/*.write'],
    response_types_supported: [],
  };
}

export function openidConfiguration(base: string, tenant: string): object {
  return {
    ...common(base, tenant),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
  };
}

/** https://hl7.org/fhir/smart-app-launch/conformance.html#using-well-known */
export function smartConfiguration(base: string, tenant: string): object {
  return {
    ...common(base, tenant),
    capabilities: [
      'client-confidential-symmetric',
      'client-confidential-asymmetric',
      'permission-v1',
      'permission-v2',
    ],
  };
}
