/**
 * Discovery documents for clients: OpenID Connect Discovery 1.0 and SMART App Launch 2 (conformance). They list only
 * supported features.
 */
import { ASSERTION_ALGORITHMS, ID_TOKEN_ALGORITHMS } from '../../core';

/** The server that the documents describe. */
export interface Described {
  /** `{base_url}`. */
  readonly base: string;
  readonly tenant: string;
  /** True: clients may authenticate by private_key_jwt. */
  readonly takesAssertions: boolean;
}

const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];
/** Authentication methods of clients, besides private_key_jwt. */
const PROOFS = ['client_secret_basic', 'client_secret_post'];
const SCOPES = [
  ...['openid', 'profile', 'fhirUser', 'launch', 'launch/patient', 'offline_access', 'online_access'],
  'administration',
  ...['patient', 'user', 'system'].flatMap((context) =>
    ['*.cruds', '*.rs', '*.read', '*.write'].map((rights) => `${context}/${rights}`),
  ),
];

/** Returns the members that both documents have. */
function common({ base, tenant, takesAssertions }: Described): object {
  const issuer = `${base}/w/${tenant}/oidc`;
  const proofs = takesAssertions ? [...PROOFS, 'private_key_jwt'] : PROOFS;
  const signedBy = (endpoint: string): object =>
    takesAssertions
      ? { [`${endpoint}_endpoint_auth_signing_alg_values_supported`]: ASSERTION_ALGORITHMS }
      : {};
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    revocation_endpoint: `${issuer}/revoke`,
    introspection_endpoint: `${issuer}/introspect`,
    end_session_endpoint: `${issuer}/logout`,
    grant_types_supported: GRANT_TYPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    token_endpoint_auth_methods_supported: [...proofs, 'none'],
    ...signedBy('token'),
    revocation_endpoint_auth_methods_supported: [...proofs, 'none'],
    ...signedBy('revocation'),
    introspection_endpoint_auth_methods_supported: proofs,
    ...signedBy('introspection'),
    scopes_supported: SCOPES,
  };
}

export function openidConfiguration(described: Described): object {
  return {
    ...common(described),
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

/**
 * Returns the extension of `CapabilityStatement.rest.security` with which clients of SMART 1.0 find the endpoints
 * (https://hl7.org/fhir/smart-app-launch/1.0.0/capability-statement/).
 */
export function oauthUris({ base, tenant }: Described): object {
  const issuer = `${base}/w/${tenant}/oidc`;
  return {
    url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
    extension: ['authorize', 'token', 'introspect', 'revoke'].map((name) => ({
      url: name,
      valueUri: `${issuer}/${name}`,
    })),
  };
}

/** https://hl7.org/fhir/smart-app-launch/conformance.html#using-well-known */
export function smartConfiguration(described: Described): object {
  return {
    ...common(described),
    capabilities: [
      'launch-ehr',
      'launch-standalone',
      'authorize-post',
      'sso-openid-connect',
      'context-banner',
      'context-style',
      'context-ehr-patient',
      'context-ehr-encounter',
      'context-standalone-patient',
      'permission-patient',
      'permission-user',
      'permission-offline',
      'permission-online',
      'client-public',
      'client-confidential-symmetric',
      ...(described.takesAssertions ? ['client-confidential-asymmetric'] : []),
      'permission-v1',
      'permission-v2',
    ],
  };
}
