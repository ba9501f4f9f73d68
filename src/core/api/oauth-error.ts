/** A refusal with an OAuth 2.0 error code (RFC 6749, section 5.2). */
export class OAuthError extends Error {
  constructor(
    readonly code:
      | 'invalid_request'
      | 'invalid_client'
      | 'invalid_grant'
      | 'invalid_scope'
      | 'unauthorized_client'
      | 'unsupported_grant_type'
      | 'unsupported_token_type',
    description: string,
  ) {
    super(description);
    this.name = 'OAuthError';
  }
}
