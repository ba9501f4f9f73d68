import { didYouMean } from '../../../packages/fhir-values/closest-name';
import type { ClientChanges } from '../api/access';
import { OTHER_SCOPES, SCOPE_CONTEXTS } from '../authorization/scope';
import { fhirError } from '../errors';
import { isShownName, SHOWN_NAME_EXPECTED } from '../limits/shown-name';
import type { Destinations } from '../outbound/destinations';
import { isLoopback } from '../network/ip-address';
import {
  ID_TOKEN_ALGORITHMS,
  type ClientDetails,
  type JsonWebKeys,
} from '../storage/accounts/client-applications';

const MAX_NAME = 200;
const MAX_MEMBERS = 200;
const MAX_LENGTH = 500;
const MAX_KEYS = 20;

/** Defaults of a new client: it has no permissions. */
const NOTHING: ClientDetails = {
  name: '',
  isDisabled: false,
  scopes: [],
  policies: [],
  isAdministrator: false,
  isAuditor: false,
  jwks: null,
  jwksUrl: null,
  redirectUris: [],
  isPublic: false,
  idTokenAlgorithm: 'RS256',
};

/** Scopes of https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html, v1 and v2, and our own. */
const SCOPE =
  /^(?:(?:patient|user|system)\/(?:\*|[A-Z][A-Za-z]{0,63})\.(?:read|write|\*|(?=[cruds])c?r?u?d?s?)(?:\?[\x21\x23-\x5B\x5D-\x7E]*)?|openid|profile|fhirUser|launch(?:\/[a-z]+)?|offline_access|online_access|administration)$/;
const POLICY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Private members of a key (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];

/** Returns the details of a client after changes. Throws `invalidValue`. */
export function changeDetails(
  changes: ClientChanges,
  destinations: Destinations,
  before: ClientDetails = NOTHING,
): ClientDetails {
  const details = { ...before, ...withoutUndefined(changes) };
  const name = details.name.trim();
  // A value stored before must not keep a client from being disabled; the same holds for addresses below.
  const isNewName = name !== before.name;
  if (name === '' || name.length > MAX_NAME || (isNewName && !isShownName(name)))
    refuse(`The name of a client must have 1 to ${MAX_NAME} characters, ${SHOWN_NAME_EXPECTED}`);
  requireEach(details.scopes, 'scope', (scope) => SCOPE.test(scope), explainScope);
  requireEach(details.policies, 'name of a policy', (policy) => POLICY.test(policy));
  const isOld = (uri: string): boolean => before.redirectUris.includes(uri);
  requireEach(
    details.redirectUris,
    'redirect URI, which is compared character by character: https, loopback or the scheme of an app, without *, . and .. as segments, user or fragment',
    (uri) => isOld(uri) || isRedirectUri(uri),
  );
  if (details.jwks !== null && details.jwksUrl !== null)
    refuse('A client must have its keys in the server or under an address, not both');
  if (details.jwks !== null) requirePublicKeys(details.jwks);
  // It is checked again before each request.
  if (details.jwksUrl !== null && details.jwksUrl !== before.jwksUrl) {
    const fault = destinations.findFault(details.jwksUrl);
    if (fault !== undefined) refuse(`The address of keys is not allowed: ${fault}`);
  }
  if (!ID_TOKEN_ALGORITHMS.includes(details.idTokenAlgorithm))
    refuse(`The algorithm of ID tokens must be ${ID_TOKEN_ALGORITHMS.join(' or ')}`);
  if (details.isPublic && (details.jwks !== null || details.jwksUrl !== null))
    refuse('A public client must not have keys, because it cannot keep them secret');
  return { ...details, name };
}

function withoutUndefined(changes: ClientChanges): Partial<ClientDetails> {
  const entries: [string, unknown][] = Object.entries(changes);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** The end of the sentence that refuses a scope. */
function explainScope(text: string): string {
  const [context = ''] = text.split('/', 1);
  if (context === text) return didYouMean(text, OTHER_SCOPES);
  if (SCOPE_CONTEXTS.includes(context))
    return ': it is written like system/Patient.rs, with the letters of cruds in this order';
  return `: it begins with ${SCOPE_CONTEXTS.map((each) => `${each}/`).join(', ')}${didYouMean(context, SCOPE_CONTEXTS)}`;
}

function requireEach(
  members: readonly string[],
  kind: string,
  isGood: (member: string) => boolean,
  explain: (wrong: string) => string = () => '',
): void {
  if (members.length > MAX_MEMBERS) refuse(`A client must have at most ${MAX_MEMBERS} of each kind: ${kind}`);
  const wrong = members.find((member) => member.length > MAX_LENGTH || !isGood(member));
  if (wrong !== undefined) refuse(`'${wrong.slice(0, 80)}' is not a ${kind}${explain(wrong)}`);
}

function requirePublicKeys({ keys }: JsonWebKeys): void {
  if (keys.length > MAX_KEYS) refuse(`A key set must have at most ${MAX_KEYS} keys`);
  for (const key of keys) {
    if (typeof key['kty'] !== 'string') refuse('Each key of a key set must be a JSON Web Key with a "kty"');
    if (PRIVATE_MEMBERS.some((name) => key[name] !== undefined))
      refuse('A key set must have public keys only: keep private keys secret, and replace this pair');
  }
}

/**
 * True: nobody on the network can answer in place of the address, because it uses TLS or is on this machine, and its host
 * stands where a person reads it: after `//`, and not after a user or a password.
 */
function isSafeAddress(address: string): boolean {
  if (!URL.canParse(address) || !/^[a-z]+:\/\/[^/\\?@]+(?:[/?]|$)/i.test(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname));
}

/** Without a fragment, also an empty one. RFC 8252, section 7, also allows a loopback address, or an app's private-use scheme (with a dot). */
function isRedirectUri(uri: string): boolean {
  if (!/^[\x21\x22\x24-\x7E]+$/.test(uri) || hasWildcard(uri) || hasDotSegment(uri)) return false;
  return isSafeAddress(uri) || (URL.canParse(uri) && /^[a-z][a-z0-9+-]*\.[a-z0-9+.-]+:/.test(uri));
}

/** True: the address looks as if it stood for several, which it never does. */
function hasWildcard(uri: string): boolean {
  return /\*|%2a/i.test(uri);
}

/** True: a browser, or a server that decodes the path, goes elsewhere than the text says. */
function hasDotSegment(uri: string): boolean {
  const [path = ''] = uri.split(/[?#]/);
  const decoded = path.replace(/%2e/gi, '.').replace(/%2f|%5c/gi, '/');
  return decoded.split(/[/\\]/).some((segment) => segment === '.' || segment === '..');
}

function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}
