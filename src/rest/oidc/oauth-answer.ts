/** The error responses of the endpoints of clients (RFC 6749, section 5.2). */
import type { FhirError } from '../../core';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True: all errors of the route have the form of OAuth 2.0, whatever the request sends or accepts. */
    hasOAuthErrors?: boolean;
  }
}

/** The body of an error response. */
export interface OAuthAnswer {
  readonly error: string;
  readonly error_description: string;
}

export function oauthAnswer(error: string, message: string): OAuthAnswer {
  return { error, error_description: message.replace(NOT_DESCRIBABLE, "'") };
}

/** Characters that an `error_description` must not have. */
const NOT_DESCRIBABLE = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g;

/** Returns the body for an error that OAuth 2.0 has no code for, by its status. */
export function toOAuthAnswer({ status, message }: Pick<FhirError, 'status' | 'message'>): OAuthAnswer {
  const code =
    status === 429 || status === 503
      ? 'temporarily_unavailable'
      : status >= 500
        ? 'server_error'
        : 'invalid_request';
  return oauthAnswer(code, message);
}
