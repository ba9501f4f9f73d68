/**
 * The request of a client to the authorization endpoint (RFC 6749, section 4.1.1; RFC 7636;
 * http://hl7.org/fhir/smart-app-launch/app-launch.html#obtain-authorization-code). Pure.
 */
import { isRelease, type Release } from '../fhir/release';
import { parseQueryText } from '../fhir/query-text';
import { FhirError } from '../errors';
import type { StoredClient } from '../storage/accounts/client-applications';
import { toWords } from './access-tokens';
import { isConsole } from './console-client';
import { coversScope } from '../authorization/scope-cover';

export interface AuthorizationRequest {
  readonly client: StoredClient;
  readonly redirectUri: string;
  readonly state: string;
  /** The requested scopes that the client may have for a user. */
  readonly scopes: readonly string[];
  /** Release of the FHIR data. */
  readonly release: Release;
  readonly codeChallenge: string;
  readonly nonce: string | undefined;
  /** The launch token of the EHR. */
  readonly launch: string | undefined;
  /** True: no page may be shown. */
  readonly isSilent: boolean;
  /** True: a signed-in user must sign in again. */
  readonly asksAgain: boolean;
  /** Maximum age of the sign-in in seconds. */
  readonly maxAge: number | undefined;
  /** True: another site may have begun the request (`BEGUN_ELSEWHERE`). */
  readonly isBegunElsewhere: boolean;
}

/**
 * A parameter that the server adds to the address of a request that another site may have begun. It stays there to the end,
 * also after a sign-in. A site that sends it causes a question, and none can remove it.
 */
export const BEGUN_ELSEWHERE = 'andiron_begun_elsewhere';

/** Errors of https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1 and OpenID Connect, section 3.1.2.6. */
export type AuthorizationErrorCode =
  | 'invalid_request'
  | 'unauthorized_client'
  | 'access_denied'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'login_required'
  | 'consent_required'
  | 'request_not_supported'
  | 'request_uri_not_supported';

/** The target of redirects with answers. */
export type RedirectTarget = Pick<AuthorizationRequest, 'redirectUri'> & {
  readonly state: string | undefined;
};

/** The request has no trustworthy redirect target, so the error goes to the browser. */
export class NoRedirectTarget extends Error {}

/** A refusal that the client receives through the browser. */
export class AuthorizationError extends Error {
  constructor(
    readonly code: AuthorizationErrorCode,
    description: string,
    readonly back: RedirectTarget,
  ) {
    super(description);
  }
}

/** The text is the same whether or not the client exists. */
export const NOT_KNOWN =
  'The app is not registered, or the address that it would send you back to is not registered for it';

/** Longest text that is stored or repeated. */
const LONGEST = 2_000;

/** Throws NoRedirectTarget for repeated parameters. */
export function readAuthorization(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [name, value] of parse(query)) {
    if (parameters.has(name)) throw new NoRedirectTarget('A parameter of the request must not be repeated');
    // RFC 6749, section 3.1: a parameter without a value counts as not sent.
    if (value !== '') parameters.set(name, value);
  }
  return parameters;
}

function parse(query: string): ReturnType<typeof parseQueryText> {
  try {
    return parseQueryText(query);
  } catch (error) {
    if (error instanceof FhirError) throw new NoRedirectTarget('The request cannot be read');
    throw error;
  }
}

/**
 * Returns the redirect target, which must equal a registered address of the client exactly. Throws NoRedirectTarget.
 *
 * @param client the client of this `client_id`, if it exists
 */
export function returnOf(
  parameters: ReadonlyMap<string, string>,
  client: StoredClient | undefined,
): RedirectTarget {
  const redirectUri = parameters.get('redirect_uri');
  const isOwn = redirectUri !== undefined && client?.redirectUris.includes(redirectUri) === true;
  // The console exists at the name of every tenant, and only its own people learn that it is disabled.
  const isGood = client !== undefined && (!client.isDisabled || isConsole(client));
  if (!isGood || !isOwn) throw new NoRedirectTarget(NOT_KNOWN);
  const state = parameters.get('state');
  return { redirectUri, state: state !== undefined && state.length <= LONGEST ? state : undefined };
}

/** Throws AuthorizationError. `roots`: addresses of the tenant's FHIR data without the release. */
export function checkAuthorization(
  parameters: ReadonlyMap<string, string>,
  client: StoredClient,
  back: RedirectTarget,
  roots: readonly string[],
): AuthorizationRequest {
  const refuse = (code: AuthorizationErrorCode, description: string): never => {
    throw new AuthorizationError(code, description, back);
  };
  const bad = (description: string): never => refuse('invalid_request', description);
  for (const name of ['request', 'request_uri'] as const)
    if (parameters.has(name)) refuse(`${name}_not_supported`, `${name} is not supported`);
  const responseType = parameters.get('response_type') ?? bad('response_type is missing');
  if (responseType !== 'code') refuse('unsupported_response_type', 'response_type must be code');
  if ((parameters.get('response_mode') ?? 'query') !== 'query') bad('response_mode must be query');
  const state = back.state ?? bad('state is missing, or longer than 2,000 characters');
  if (parameters.get('code_challenge_method') !== 'S256') bad('code_challenge_method must be S256');
  const codeChallenge = parameters.get('code_challenge') ?? bad('code_challenge is missing');
  if (!/^[\w-]{43}$/.test(codeChallenge))
    bad('code_challenge must be the SHA-256 of the verifier in base64url');
  const release = releaseOf(parameters.get('aud'), roots) ?? bad(`aud must be ${roots[0] ?? ''}/r4 or …/r4b`);
  const requestedScopes = toWords(parameters.get('scope') ?? '');
  const scopes = [...new Set(requestedScopes)].filter(
    (scope) => !scope.startsWith('system/') && coversScope(client.scopes, scope),
  );
  if (scopes.length === 0) refuse('invalid_scope', 'None of the requested scopes is allowed for the client');
  if (scopes.join(' ').length > LONGEST * 4) bad(`scope must have at most ${LONGEST * 4} characters`);
  const launch = parameters.get('launch');
  const wantsLaunch = scopes.includes('launch');
  if (wantsLaunch && launch === undefined)
    bad('The scope launch requires the parameter launch that the EHR has sent');
  const nonce = parameters.get('nonce');
  if (nonce !== undefined && nonce.length > LONGEST) bad('nonce must have at most 2,000 characters');
  const prompts = toWords(parameters.get('prompt') ?? '');
  if (prompts.includes('none') && prompts.length > 1) bad('prompt=none must be the only value of prompt');
  const maxAge = parameters.get('max_age');
  if (maxAge !== undefined && !/^\d{1,9}$/.test(maxAge)) bad('max_age must be a number of seconds');
  return {
    client,
    redirectUri: back.redirectUri,
    state,
    scopes,
    release,
    codeChallenge,
    nonce,
    launch: wantsLaunch ? launch : undefined,
    isSilent: prompts.includes('none'),
    asksAgain: prompts.includes('login') || prompts.includes('select_account'),
    maxAge: maxAge === undefined ? undefined : Number(maxAge),
    isBegunElsewhere: parameters.has(BEGUN_ELSEWHERE),
  };
}

/** Returns the redirect to the client with the answer; `issuer` after RFC 9207. */
export function answerTo(
  { redirectUri, state }: RedirectTarget,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({ ...answer, ...(state === undefined ? {} : { state }), iss: issuer });
  return `${redirectUri}${redirectUri.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** Returns the release that `aud` names. */
function releaseOf(audience: string | undefined, roots: readonly string[]): Release | undefined {
  const [, root = '', release = ''] = /^(.*)\/(\w+)\/?$/.exec(audience ?? '') ?? [];
  return roots.includes(root) && isRelease(release) ? release : undefined;
}
