/**
 * The authorization endpoint without HTTP: a user signs in, selects a patient and authorizes the client, which
 * receives a code. The client's request is in the address at every step, is checked at every step and is not stored.
 * Each form has a token that depends on this address and on the browser's cookie.
 */
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import type { PatientChoice, SignInStep, SignInVisit } from '../api/sign-in';
import type { TenantSpace } from '../context';
import { FhirError, fhirError } from '../errors';
import { coversRelease, type Release } from '../fhir/release';
import type { StoredUser } from '../storage/accounts/user-accounts';
import type { GrantStore, LaunchContext } from '../storage/accounts/user-grants';
import {
  answerTo,
  AuthorizationError,
  checkAuthorization,
  NOT_KNOWN,
  readAuthorization,
  returnOf,
  Unreturnable,
  type AuthorizationRequest,
} from './authorization-request';
import type { Clients } from './clients';
import { PatientChoices, type PatientSource, type SigningIn } from '../authorization/patient-choice';
import { isStaff } from '../authorization/person';
import type { PersonPatients } from '../authorization/person-patients';
import { hashToken, makeToken } from './random-token';
import { parseScope } from '../authorization/scope';
import { noteAccount } from '../audit/sign-in-trail';
import { toIssuer } from './tenant-address';
import { reachOf } from '../authorization/user-reach';
import type { Users } from './users';

/** Lifetime of a sign-in session in a browser. */
const SESSION_SECONDS = 8 * 3_600;
/** Lifetime of a code; RFC 6749, section 4.1.2, requires a short one. */
const CODE_SECONDS = 60;
/** Lifetime of an unused refresh token for offline access. */
export const OFFLINE_SECONDS = 90 * 86_400;
const LAUNCH_SECONDS = 300;

/** A signed-in user. */
interface SignedIn {
  readonly user: StoredUser;
  /** Hash of the session cookie. */
  readonly session: Buffer;
  readonly began: number;
}

export interface AuthorizationParts {
  readonly clients: Clients;
  readonly users: Users;
  readonly grants: GrantStore;
  readonly patients: PatientSource;
  readonly people: PersonPatients;
  readonly publicUrls: readonly string[];
  /** Lifetime of an access token in seconds. */
  readonly seconds: number;
  findSpace(tenant: string, release: Release): Promise<TenantSpace | undefined>;
}

export class AuthorizationEndpoint {
  constructor(private readonly parts: AuthorizationParts) {}

  async step(visit: SignInVisit): Promise<SignInStep> {
    try {
      return await this.#step(visit);
    } catch (error) {
      if (error instanceof Unreturnable) return { kind: 'refused', status: 400, reason: error.message };
      if (!(error instanceof AuthorizationError)) throw error;
      return redirect(visit, error.back, { error: error.code, error_description: error.message });
    }
  }

  /** Throws `invalidValue`. */
  async launch(
    space: TenantSpace,
    context: LaunchContext,
  ): Promise<{ readonly launch: string; readonly seconds: number }> {
    const launch = makeToken();
    if (!(await this.parts.grants.addLaunch(space, hashToken(launch), context, LAUNCH_SECONDS)))
      throw fhirError('invalidValue', { reason: 'There is no such client' });
    return { launch, seconds: LAUNCH_SECONDS };
  }

  async #step(visit: SignInVisit): Promise<SignInStep> {
    const { space, base, query, form } = visit;
    const parameters = readAuthorization(query);
    const client = await this.parts.clients.find(space, parameters.get('client_id') ?? '');
    const back = returnOf(parameters, client);
    if (visit.trail !== undefined && client !== undefined) visit.trail.client = client.id;
    if (client === undefined) throw new Unreturnable(NOT_KNOWN);
    const bases = this.parts.publicUrls.length > 0 ? this.parts.publicUrls : [base];
    const roots = bases.map((one) => `${one}/w/${space.tenant}/api/v1/fhir`);
    const request = checkAuthorization(parameters, client, back, roots);
    // Browsers send no cookies with a POST from the client's page, but they do with the GET that it is redirected to.
    if (visit.isPosted) return { kind: 'redirect', to: toAddress(parameters) };
    const signedIn = await this.#signedIn(visit);
    if (form === undefined) return this.#show(visit, request, signedIn);
    const step = form.get('step') ?? '';
    if (!isOurs(visit, form.get('token') ?? '', step)) return NOT_OURS;
    switch (step) {
      case 'sign-in':
        return this.#signIn(visit, request, form);
      case 'sign-out':
        if (signedIn !== undefined) {
          noteAccount(visit.trail, { ...signedIn.user, account: signedIn.user.id });
          await this.parts.grants.endSession(space, signedIn.session);
        }
        return { kind: 'redirect', to: addressOf(visit), session: null };
      case 'deny':
        throw new AuthorizationError('access_denied', 'The person has not allowed it', request);
      case 'find':
        if (signedIn === undefined) return this.#show(visit, request, undefined);
        return this.#consent(visit, request, { signedIn, searched: form.get('search') ?? '' });
      case 'allow':
        if (signedIn === undefined) return this.#show(visit, request, undefined);
        return this.#allow(visit, request, signedIn, form);
      default:
        return { kind: 'refused', status: 400, reason: 'The form does not come from this server' };
    }
  }

  async #signedIn({ space, sessionCookie }: SignInVisit): Promise<SignedIn | undefined> {
    if (sessionCookie === undefined) return undefined;
    const session = hashToken(sessionCookie);
    const found = await this.parts.grants.findSession(space, session);
    const user = found && (await this.parts.users.find(space, found.account));
    return found === undefined || user === undefined ? undefined : { user, session, began: found.began };
  }

  #show(
    visit: SignInVisit,
    request: AuthorizationRequest,
    signedIn: SignedIn | undefined,
  ): Promise<SignInStep> | SignInStep {
    const { isSilent, asksAgain, maxAge } = request;
    const isOld = maxAge !== undefined && Date.now() - (signedIn?.began ?? 0) > maxAge * 1000;
    const isKnown = signedIn !== undefined && !asksAgain && !isOld;
    if (isSilent && !isKnown) throw new AuthorizationError('login_required', 'Nobody is signed in', request);
    if (isSilent) throw new AuthorizationError('consent_required', 'Each sign-in is allowed anew', request);
    return isKnown
      ? this.#consent(visit, request, { signedIn })
      : signInPage(visit, request, { status: 200 });
  }

  async #signIn(
    visit: SignInVisit,
    request: AuthorizationRequest,
    form: ReadonlyMap<string, string>,
  ): Promise<SignInStep> {
    const { space, address, trail } = visit;
    let user: StoredUser | undefined;
    try {
      user = await this.parts.users.prove(space, {
        name: form.get('user') ?? '',
        password: form.get('password') ?? '',
        address,
        trail,
      });
    } catch (error) {
      if (!(error instanceof FhirError) || error.key !== 'tooManyRequests') throw error;
      const { message: problem, retryAfterSeconds = 1 } = error;
      return signInPage(visit, request, { status: 429, retryAfterSeconds, problem });
    }
    if (user === undefined)
      return signInPage(visit, request, { status: 403, problem: 'The name or the password is not right.' });
    const session = makeToken();
    await this.parts.grants.addSession(space, hashToken(session), user.id, SESSION_SECONDS);
    return { kind: 'redirect', to: addressOf(visit), session };
  }

  async #consent(
    visit: SignInVisit,
    request: AuthorizationRequest,
    {
      signedIn,
      searched,
      problem,
    }: { readonly signedIn: SignedIn; readonly searched?: string; readonly problem?: string },
  ): Promise<SignInStep> {
    const { client, redirectUri } = request;
    const page = {
      kind: 'consent',
      client: client.name,
      redirectUri,
      token: tokenFor(visit, visit.sessionCookie ?? ''),
      user: signedIn.user.display,
      scopes: request.scopes,
      problem,
    } as const;
    const person = await this.#personOf(visit, request, signedIn.user);
    const { fixed, choices } = await this.#patientOf(visit, request, person);
    if (choices === undefined) return { ...page, patient: fixed };
    return { ...page, choices: await choices.search(searched ?? ''), searched };
  }

  /**
   * Returns the user's identity in the requested data. Throws AuthorizationError where the account has no identity
   * that allows the request.
   */
  async #personOf(visit: SignInVisit, request: AuthorizationRequest, user: StoredUser): Promise<SigningIn> {
    const { release, scopes } = request;
    const space = await this.parts.findSpace(visit.space.tenant, release);
    if (space === undefined) throw fhirError('unknownTenant');
    const isOfRelease = coversRelease(user.release, release);
    const fhirUser = isOfRelease ? user.fhirUser : null;
    const patient = isOfRelease ? user.patient : null;
    const found = await this.parts.people.of(space, fhirUser ?? undefined);
    const person = { space, fhirUser, patient, userPatients: found?.ids ?? [] };
    const asks = (isMeant: (scope: string) => boolean): boolean => scopes.some(isMeant);
    const refuse = (reason: string): never => {
      throw new AuthorizationError('access_denied', reason, request);
    };
    if (asks((scope) => parseScope(scope)?.context === 'user')) {
      const reach = reachOf({ user: fhirUser ?? undefined, userPatients: person.userPatients });
      if (fhirUser !== null && reach.kind === 'nothing')
        refuse('The person of the account reaches no Patient in these data now');
      if (reach.kind === 'nothing') refuse('The account has no person in these data');
    }
    const isAboutData = (scope: string): boolean =>
      /^launch(?:\/|$)/.test(scope) || parseScope(scope) !== undefined;
    if (fhirUser === null && patient === null && asks(isAboutData))
      refuse('The account has no person in these data');
    return person;
  }

  /**
   * Returns the Patient in context: `fixed` where it is certain, `choices` where the user must select one, neither
   * where none is needed. Throws AuthorizationError.
   */
  async #patientOf(
    visit: SignInVisit,
    request: AuthorizationRequest,
    person: SigningIn,
  ): Promise<{ fixed?: PatientChoice; choices?: PatientChoices; launch?: LaunchContext }> {
    const { client, scopes, launch } = request;
    const refuse = (reason: string): never => {
      throw new AuthorizationError('access_denied', reason, request);
    };
    const choices = new PatientChoices(this.parts.patients, visit, client, person);
    const certain = async (id: string): Promise<PatientChoice> =>
      (await choices.find(id)) ?? refuse('The Patient is not there, or not for this person');
    const context = launch === undefined ? undefined : await this.#launchOf(visit, request, launch);
    if (context !== undefined)
      return {
        launch: context,
        ...(context.patient === null ? {} : { fixed: await certain(context.patient) }),
      };
    const isNeeded =
      scopes.includes('launch/patient') || scopes.some((scope) => parseScope(scope)?.context === 'patient');
    if (!isNeeded) return {};
    const { fhirUser, patient, userPatients } = person;
    const [type = '', id = ''] = fhirUser?.split('/') ?? [];
    const [onlyPatient, ...others] = type === 'Patient' ? [id] : userPatients;
    const own = patient ?? (others.length === 0 ? onlyPatient : undefined);
    if (own !== undefined) return { fixed: await certain(own) };
    if (isStaff(fhirUser ?? undefined) || others.length > 0) return { choices };
    return refuse('The account has no Patient');
  }

  async #launchOf(
    { space }: SignInVisit,
    request: AuthorizationRequest,
    launch: string,
  ): Promise<LaunchContext> {
    const context = await this.parts.grants.findLaunch(space, hashToken(launch));
    if (context === undefined || context.client !== request.client.id || context.release !== request.release)
      throw new AuthorizationError('invalid_request', 'The launch is not good, or not any more', request);
    return context;
  }

  async #allow(
    visit: SignInVisit,
    request: AuthorizationRequest,
    signedIn: SignedIn,
    form: ReadonlyMap<string, string>,
  ): Promise<SignInStep> {
    const { space } = visit;
    const { user } = signedIn;
    const { scopes } = request;
    const person = await this.#personOf(visit, request, user);
    const { fixed, choices, launch } = await this.#patientOf(visit, request, person);
    let patient = fixed;
    if (choices !== undefined) {
      const chosen = form.get('patient');
      patient = chosen === undefined ? undefined : await choices.find(chosen);
      if (patient === undefined)
        return this.#consent(visit, request, {
          signedIn,
          searched: form.get('search'),
          problem: 'Choose a patient first.',
        });
    }
    if (
      request.launch !== undefined &&
      !(await this.parts.grants.useLaunch(space, hashToken(request.launch)))
    )
      throw new AuthorizationError('invalid_request', 'The launch was used before', request);
    const code = makeToken();
    const isOffline = scopes.includes('offline_access');
    const isOnline = !isOffline && scopes.includes('online_access');
    await this.parts.grants.add(space, {
      id: randomUUID(),
      client: request.client.id,
      account: user.id,
      release: request.release,
      scopes,
      fhirUser: person.fhirUser,
      patient: patient?.id ?? null,
      encounter: launch?.encounter ?? null,
      nonce: request.nonce ?? null,
      redirectUri: request.redirectUri,
      signedIn: signedIn.began,
      codeChallenge: request.codeChallenge,
      code: hashToken(code),
      codeSeconds: CODE_SECONDS,
      seconds: isOffline ? OFFLINE_SECONDS : isOnline ? SESSION_SECONDS : CODE_SECONDS + this.parts.seconds,
      session: isOnline ? signedIn.session : null,
    });
    return redirect(visit, request, { code });
  }
}

const NOT_OURS: SignInStep = {
  kind: 'refused',
  status: 403,
  reason:
    'The form does not belong to a page that this server has shown in this browser. Start again from the app',
};

function redirect(
  { base, space }: SignInVisit,
  back: Parameters<typeof answerTo>[0],
  answer: Readonly<Record<string, string>>,
): SignInStep {
  return { kind: 'redirect', to: answerTo(back, toIssuer({ base, tenant: space.tenant }), answer) };
}

/** Returns this same address without parameters that would request another sign-in. */
function addressOf({ query }: SignInVisit): string {
  const parameters = [...readAuthorization(query)].filter(([name]) => !['prompt', 'max_age'].includes(name));
  return toAddress(parameters);
}

/** Returns the address of a request, relative to the tenant's endpoints. */
function toAddress(parameters: Iterable<[string, string]>): string {
  return `authorize?${new URLSearchParams([...parameters]).toString()}`;
}

function signInPage(
  visit: SignInVisit,
  { client, redirectUri }: AuthorizationRequest,
  shown: { readonly status: 200 | 403 | 429; readonly retryAfterSeconds?: number; readonly problem?: string },
): SignInStep {
  const formCookie = isToken(visit.formCookie) ? visit.formCookie : makeToken();
  return {
    kind: 'sign-in',
    client: client.name,
    redirectUri,
    formCookie,
    token: tokenFor(visit, formCookie),
    ...shown,
  };
}

function isToken(cookie: string | undefined): cookie is string {
  return cookie !== undefined && /^[\w-]{43}$/.test(cookie);
}

/**
 * Returns the form token for this address and browser: other sites do not have the cookie, and other addresses have
 * other tokens.
 */
function tokenFor({ query }: SignInVisit, cookie: string): string {
  return createHmac('sha256', cookie).update(query).digest('base64url');
}

/**
 * Before sign-in, the form cookie is accepted too; afterwards only the session cookie, which other sites cannot set.
 */
function isOurs(visit: SignInVisit, token: string, step: string): boolean {
  const { formCookie, sessionCookie } = visit;
  const cookies = ['sign-in', 'deny'].includes(step) ? [formCookie, sessionCookie] : [sessionCookie];
  const sent = Buffer.from(token);
  return cookies.filter(isToken).some((cookie) => {
    const expected = Buffer.from(tokenFor(visit, cookie));
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
}
