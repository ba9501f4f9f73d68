/**
 * The authorization endpoint without HTTP: a user signs in, selects a patient and authorizes the client, which
 * receives a code. The client's request is in the address at every step, is checked at every step and is not stored.
 * The console of this server needs no consent: a signed-in user's code is issued at once, or after one question where
 * another site may have begun the request.
 */
import type { SignInStep, SignInVisit } from '../api/sign-in';
import type { TenantSpace } from '../context';
import { fhirError } from '../errors';
import type { LaunchContext } from '../storage/accounts/user-grants';
import {
  answerTo,
  AuthorizationError,
  BEGUN_ELSEWHERE,
  checkAuthorization,
  NOT_KNOWN,
  readAuthorization,
  returnOf,
  NoRedirectTarget,
  type AuthorizationRequest,
} from './authorization-request';
import type { Clients } from './clients';
import { allowedScopes, isAboutLaunch, offerOf, type ConsentParts } from './consent';
import { isConsole, withAddresses } from './console-client';
import { isOurs, isToken, NOT_OURS, tokenFor } from './form-token';
import { grantCode, SESSION_SECONDS, type SignedIn } from './grant-code';
import { hashToken, makeToken } from './random-token';
import type { SignInSteps } from './sign-in-steps';
import { noteAccount, SIGN_IN_STEPS } from '../audit/sign-in-trail';
import { toIssuer } from '../api/tenant-address';
import type { Users } from './users';

const LAUNCH_SECONDS = 300;

export interface AuthorizationParts extends ConsentParts {
  readonly clients: Clients;
  readonly users: Users;
  readonly steps: SignInSteps;
  readonly publicUrls: readonly string[];
  /** True: strangers may not learn which tenants exist. */
  readonly hidesTenants: boolean;
  /** Lifetime of an access token in seconds. */
  readonly seconds: number;
}

type SignInPage = Extract<SignInStep, { kind: 'sign-in' }>;

/** A sign-in whose user is known and asked for consent. */
interface ConsentState {
  readonly signedIn: SignedIn;
  readonly searched?: string | undefined;
  /** The form that was sent before, whose choice of scopes stays; undefined: all requested ones are chosen. */
  readonly form?: ReadonlyMap<string, string>;
  readonly problem?: string;
}

export class AuthorizationEndpoint {
  constructor(private readonly parts: AuthorizationParts) {}

  async step(visit: SignInVisit): Promise<SignInStep> {
    try {
      return await this.#step(visit);
    } catch (error) {
      if (error instanceof NoRedirectTarget) return { kind: 'refused', status: 400, reason: error.message };
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
      throw fhirError('invalidValue', { reason: 'The client does not exist' });
    return { launch, seconds: LAUNCH_SECONDS };
  }

  async #step(visit: SignInVisit): Promise<SignInStep> {
    const { space, base, query, form } = visit;
    const parameters = readAuthorization(query);
    const bases = this.parts.publicUrls.length > 0 ? this.parts.publicUrls : [base];
    const found = await this.parts.clients.find(space, parameters.get('client_id') ?? '');
    const client = found && withAddresses(found, bases, space.tenant);
    const back = returnOf(parameters, client);
    if (visit.trail !== undefined && client !== undefined) visit.trail.client = client.id;
    if (client === undefined) throw new NoRedirectTarget(NOT_KNOWN);
    const roots = bases.map((one) => `${one}/w/${space.tenant}/api/v1/fhir`);
    const request = checkAuthorization(parameters, client, back, roots);
    const isElsewhere = isConsole(client) && form === undefined && !visit.isOwnRequest;
    if (isElsewhere && !request.isBegunElsewhere)
      return { kind: 'redirect', to: toAddress([...parameters, [BEGUN_ELSEWHERE, 'true']]) };
    // Browsers send no cookies with a POST from the client's page, but they do with the GET that it is redirected to.
    if (visit.isPosted) return { kind: 'redirect', to: toAddress(parameters) };
    const signedIn = await this.#signedIn(visit);
    if (form === undefined) return this.#show(visit, request, signedIn);
    const step = form.get('step') ?? '';
    if (!isOurs(visit, form.get('token') ?? '', step)) return NOT_OURS;
    if (SIGN_IN_STEPS.includes(step)) return this.#signIn(visit, request, { step, form });
    switch (step) {
      case 'sign-out':
        if (signedIn !== undefined) {
          noteAccount(visit.trail, { ...signedIn.user, account: signedIn.user.id });
          await this.parts.grants.endSession(space, signedIn.session);
        }
        return { kind: 'redirect', to: addressOf(visit), session: null };
      case 'deny':
        throw new AuthorizationError('access_denied', 'The person has not allowed it', request);
      case 'find':
        if (signedIn === undefined || isConsole(client)) return this.#show(visit, request, signedIn);
        return this.#consent(visit, request, {
          signedIn,
          searched: form.get('search'),
          form,
        });
      case 'allow':
        if (signedIn === undefined || isConsole(client)) return this.#show(visit, request, signedIn);
        return this.#allow(visit, request, signedIn, form);
      case 'continue':
        if (signedIn === undefined || !isConsole(client)) return this.#show(visit, request, signedIn);
        return this.#allowConsole(visit, request, signedIn);
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
    if (!isKnown) return this.#signInPage(visit, request, { status: 200 });
    const { isBegunElsewhere, client, redirectUri } = request;
    if (isConsole(client) && (!isBegunElsewhere || client.isDisabled))
      return this.#allowConsole(visit, request, signedIn);
    if (isSilent) throw new AuthorizationError('consent_required', 'Each sign-in is allowed anew', request);
    if (isConsole(client)) {
      const token = tokenFor(visit, visit.sessionCookie ?? '');
      return { kind: 'continue', client: client.name, redirectUri, token, user: signedIn.user.display };
    }
    return this.#consent(visit, request, { signedIn });
  }

  /** The console is a part of this server, so that it gets all scopes of the request that the user can have. */
  async #allowConsole(
    visit: SignInVisit,
    request: AuthorizationRequest,
    signedIn: SignedIn,
  ): Promise<SignInStep> {
    // Only a person of the tenant learns it: the page to sign in is the same for every name of a tenant.
    if (request.client.isDisabled)
      throw new AuthorizationError('access_denied', 'The console is disabled in this tenant', request);
    const offer = await offerOf(this.parts, visit, request, signedIn.user);
    const { scopes, fixed: patient } = offer;
    const allowed = { request, signedIn, offer, scopes, patient };
    return redirect(visit, request, { code: await grantCode(this.parts, visit.space, allowed) });
  }

  async #signIn(
    visit: SignInVisit,
    request: AuthorizationRequest,
    sent: { readonly step: string; readonly form: ReadonlyMap<string, string> },
  ): Promise<SignInStep> {
    const cookie = isToken(visit.formCookie) ? visit.formCookie : makeToken();
    const { redirectUri } = request;
    const end = await this.parts.steps.take({ ...visit, cookie, redirectUri }, { ...sent, sets: false });
    if (end.kind === 'page') return end.page;
    if (end.kind === 'again') return this.#signInPage(visit, request, end.shown);
    const session = makeToken();
    await this.parts.grants.addSession(visit.space, hashToken(session), end.user.id, SESSION_SECONDS);
    const next = addressOf(visit);
    if (end.codes !== undefined) return { kind: 'recovery-codes', codes: end.codes, next, session };
    return { kind: 'redirect', to: next, session };
  }

  #signInPage(
    visit: SignInVisit,
    { client, redirectUri }: AuthorizationRequest,
    shown: Pick<SignInPage, 'status' | 'retryAfterSeconds' | 'problem' | 'user'>,
  ): SignInPage {
    const { space } = visit;
    const formCookie = isToken(visit.formCookie) ? visit.formCookie : makeToken();
    // Every tenant has a console, and only some a display name: it would disclose that the tenant exists.
    const isHidden = this.parts.hidesTenants && isConsole(client);
    return {
      kind: 'sign-in',
      client: client.name,
      tenant: isHidden ? space.tenant : (space.display ?? space.tenant),
      redirectUri,
      formCookie,
      token: tokenFor(visit, formCookie),
      ...shown,
    };
  }

  async #consent(
    visit: SignInVisit,
    request: AuthorizationRequest,
    { signedIn, searched, form, problem }: ConsentState,
  ): Promise<SignInStep> {
    const { client, redirectUri } = request;
    const offer = await offerOf(this.parts, visit, request, signedIn.user);
    const { fixed, choices, scopes, parts } = offer;
    const page = {
      kind: 'consent',
      client: client.name,
      redirectUri,
      token: tokenFor(visit, visit.sessionCookie ?? ''),
      user: signedIn.user.display,
      scopes: scopes.filter((scope) => !isAboutLaunch(scope)),
      about: scopes.filter(isAboutLaunch),
      parts,
      chosen: form === undefined ? scopes : allowedScopes(form, offer),
      problem,
    } as const;
    if (choices === undefined) return { ...page, patient: fixed };
    return { ...page, choices: await choices.search(searched ?? ''), searched };
  }

  async #allow(
    visit: SignInVisit,
    request: AuthorizationRequest,
    signedIn: SignedIn,
    form: ReadonlyMap<string, string>,
  ): Promise<SignInStep> {
    const offer = await offerOf(this.parts, visit, request, signedIn.user);
    const { fixed, choices } = offer;
    const scopes = allowedScopes(form, offer);
    const again = (problem: string): Promise<SignInStep> =>
      this.#consent(visit, request, { signedIn, searched: form.get('search'), form, problem });
    if (scopes.every(isAboutLaunch)) return again('Choose what to allow first, or do not allow it.');
    let patient = fixed;
    if (choices !== undefined) {
      const chosen = form.get('patient');
      patient = chosen === undefined ? undefined : await choices.find(chosen);
      if (patient === undefined) return again('Choose a patient first.');
    }
    const code = await grantCode(this.parts, visit.space, { request, signedIn, offer, scopes, patient });
    return redirect(visit, request, { code });
  }
}

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
