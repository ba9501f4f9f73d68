/**
 * What tells clients how to get in: OpenID Connect Discovery 1.0 and SMART App Launch 2 (conformance). Only what works is
 * listed.
 */
import { ASSERTION_ALGORITHMS, ID_TOKEN_ALGORITHMS } from '../../core';

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];
/** By which clients prove who they are. */
const PROOFS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
const SCOPES = [
  ...['openid', 'profile', 'fhirUser', 'launch', 'launch/patient', 'offline_access', 'online_access'],
  ...['patient', 'user', 'system'].flatMap((context) =>
    ['*.cruds', '*.rs', '*.read', '*.write'].map((rights) => `${context}/${rights}`),
  ),
];

/** What both documents say. `base`: `{base_url}`. */
function common(base: string, tenant: string): object {
  const issuer = `${base}/w/${tenant}/oidc`;
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    grant_types_supported: GRANT_TYPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: [...PROOFS, 'none'],
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    revocation_endpoint_auth_methods_supported: [...PROOFS, 'none'],
    revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    introspection_endpoint_auth_methods_supported: PROOFS,
    introspection_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    scopes_supported: SCOPES,
  };
}

export function openidConfiguration(base: string, tenant: string): object {
  return {
    ...common(base, tenant),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ID_TOKEN_ALGORITHMS,
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'fhirUser',
      'profile',
      'name',
    ],
    prompt_values_supported: ['none', 'login', 'select_account', 'consent'],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

/** https://hl7.org/fhir/smart-app-launch/conformance.html#using-well-known */
export function smartConfiguration(base: string, tenant: string): object {
  return {
    ...common(base, tenant),
    capabilities: [
      'launch-ehr',
      'launch-standalone',
      'sso-openid-connect',
      'context-ehr-patient',
      'context-ehr-encounter',
      'context-standalone-patient',
      'permission-patient',
      'permission-user',
      'permission-offline',
      'permission-online',
      'client-public',
      'client-confidential-symmetric',
      'client-confidential-asymmetric',
      'permission-v1',
      'permission-v2',
    ],
  };
}
