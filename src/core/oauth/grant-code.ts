import { randomUUID } from 'node:crypto';
import type { PatientChoice } from '../api/sign-in';
import type { TenantSpace } from '../context';
import type { StoredUser } from '../storage/accounts/user-accounts';
import type { GrantStore } from '../storage/accounts/user-grants';
import { AuthorizationError, type AuthorizationRequest } from './authorization-request';
import type { Clients } from './clients';
import type { ConsentOffer } from './consent';
import { isConsole } from './console-client';
import { hashToken, makeToken } from './random-token';

/** Lifetime of a sign-in session in a browser. */
export const SESSION_SECONDS = 8 * 3_600;
/** Lifetime of a code; RFC 6749, section 4.1.2, requires a short one. */
const CODE_SECONDS = 60;
/** Lifetime of an unused refresh token for offline access. */
export const OFFLINE_SECONDS = 90 * 86_400;

/** A signed-in user. */
export interface SignedIn {
  readonly user: StoredUser;
  /** Hash of the session cookie. */
  readonly session: Buffer;
  readonly began: number;
}

interface GrantParts {
  readonly clients: Clients;
  readonly grants: GrantStore;
  /** Lifetime of an access token in seconds. */
  readonly seconds: number;
}

/** The consent of a user to a request of a client. */
interface Allowed {
  readonly request: AuthorizationRequest;
  readonly signedIn: SignedIn;
  readonly offer: Pick<ConsentOffer, 'person' | 'launch'>;
  readonly scopes: readonly string[];
  readonly patient: PatientChoice | undefined;
}

/** Stores a grant and returns its code. Throws AuthorizationError where its launch was used before. */
export async function grantCode(
  { clients, grants, seconds }: GrantParts,
  space: TenantSpace,
  { request, signedIn, offer, scopes, patient }: Allowed,
): Promise<string> {
  const { launch } = offer;
  if (request.launch !== undefined && !(await grants.useLaunch(space, hashToken(request.launch))))
    throw new AuthorizationError('invalid_request', 'The launch was used before', request);
  if (isConsole(request.client)) await clients.storeConsole(space);
  const code = makeToken();
  const isOffline = scopes.includes('offline_access');
  const isOnline = !isOffline && scopes.includes('online_access');
  await grants.add(space, {
    id: randomUUID(),
    client: request.client.id,
    account: signedIn.user.id,
    release: request.release,
    scopes,
    fhirUser: offer.person.fhirUser,
    patient: patient?.id ?? null,
    encounter: launch?.encounter ?? null,
    needPatientBanner: launch?.needPatientBanner ?? null,
    smartStyleUrl: launch?.smartStyleUrl ?? null,
    nonce: request.nonce ?? null,
    redirectUri: request.redirectUri,
    signedIn: signedIn.began,
    codeChallenge: request.codeChallenge,
    code: hashToken(code),
    codeSeconds: CODE_SECONDS,
    seconds: isOffline ? OFFLINE_SECONDS : isOnline ? SESSION_SECONDS : CODE_SECONDS + seconds,
    session: isOnline ? signedIn.session : null,
  });
  return code;
}
