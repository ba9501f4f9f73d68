/** Audit records of sign-ins and of issued or revoked tokens. Of the request they contain only its kind. */
import type { TokenRequest, Tokens } from '../api/access';
import type { PageVisit, SignIn, SignInStep, SignInVisit, SignInTrail } from '../api/sign-in';
import { ANONYMOUS, type TenantSpace } from '../context';
import type { Release } from '../fhir/release';
import { isDecoy } from '../tenants/decoy';
import { endingOf } from './describe';
import { OAuthError } from '../api/oauth-error';
import type { RefusalTools } from './recorded-refusals';
import { toRecord, type Ending } from './recording';
import { SIGN_IN_STEPS } from './sign-in-trail';

/** Names of DICOM (audit-event.ts). */
export const LOGIN = 'login';
export const LOGOUT = 'logout';

const OK: Ending = { status: 200 };
/** Grant types that may appear in a record; any other text could be a misplaced secret. */
const GRANT_TYPES = ['client_credentials', 'authorization_code', 'refresh_token'];

export interface SignInServices {
  readonly tokens: Tokens;
  readonly signIn: SignIn;
}

type SignInRequest = Pick<SignInVisit, 'space' | 'address'> & { readonly requestId?: string };

/**
 * Wraps the services so that each sign-in, token, revocation and refusal is recorded. A successful one is answered
 * only after its record is in the database. Cost: a batched statement.
 */
export function recordSignIns(
  { tokens, signIn }: SignInServices,
  { log, refusals, ids }: RefusalTools,
  findSpace: (tenant: string, release: Release) => Promise<TenantSpace | undefined>,
): SignInServices {
  async function note(
    { space, address, requestId = '' }: SignInRequest,
    trail: SignInTrail,
    what: { readonly interaction: string; readonly query: string },
    ending: Ending,
  ): Promise<void> {
    if (isDecoy(space)) return;
    const { client = ANONYMOUS, person, release = space.release } = trail;
    const where = release === space.release ? space : ((await findSpace(space.tenant, release)) ?? space);
    const record = toRecord(ids, { actor: client, address, requestId }, what, ending);
    if (ending.status >= 400) {
      await refusals.note(where.number, { ...record, person }, false);
      return;
    }
    await log.note(where.number, { ...record, person });
    await log.flush();
  }

  async function recorded<Result>(
    request: TokenRequest,
    what: { readonly interaction: string; readonly query: string },
    work: (request: TokenRequest) => Promise<Result>,
  ): Promise<Result> {
    const trail: SignInTrail = {};
    let result;
    try {
      result = await work({ ...request, trail });
    } catch (error) {
      await note(request, trail, what, refusalOf(error));
      throw error;
    }
    await note(request, trail, what, OK);
    return result;
  }

  /** Records the form of a page, if there is one, with the step that it was. */
  async function recordedForm<Visit extends PageVisit>(
    visit: Visit,
    { interaction, query }: { readonly interaction: string; readonly query: string },
    work: (visit: Visit) => Promise<SignInStep>,
  ): Promise<SignInStep> {
    if (visit.form === undefined) return work(visit);
    const trail: SignInTrail = {};
    const done = (): { readonly interaction: string; readonly query: string } => ({
      interaction,
      query: trail.proof === undefined ? query : `${query}?proof=${trail.proof}`,
    });
    let next;
    try {
      next = await work({ ...visit, trail });
    } catch (error) {
      await note(visit, trail, done(), endingOf(error));
      throw error;
    }
    await note(visit, trail, done(), endingOfStep(next));
    return next;
  }

  return {
    tokens: {
      ...tokens,
      grant(request) {
        const type = request.parameters.get('grant_type') ?? '';
        const query = GRANT_TYPES.includes(type) ? `oidc/token?grant_type=${type}` : 'oidc/token';
        return recorded(request, { interaction: LOGIN, query }, (request) => tokens.grant(request));
      },
      revoke: (request) =>
        recorded(request, { interaction: LOGOUT, query: 'oidc/revoke' }, (request) => tokens.revoke(request)),
      async introspect(request) {
        const trail: SignInTrail = {};
        try {
          return await tokens.introspect({ ...request, trail });
        } catch (error) {
          await note(request, trail, { interaction: LOGIN, query: 'oidc/introspect' }, refusalOf(error));
          throw error;
        }
      },
    },
    signIn: {
      ...signIn,
      async step(visit) {
        const step = visit.form?.get('step') ?? '';
        if (step !== 'sign-out' && !SIGN_IN_STEPS.includes(step)) return signIn.step(visit);
        const what = { interaction: step === 'sign-out' ? LOGOUT : LOGIN, query: 'oidc/authorize' };
        return recordedForm(visit, what, (recorded) => signIn.step(recorded));
      },
      async invitation(visit) {
        const what = { interaction: LOGIN, query: 'oidc/invitation' };
        return recordedForm(visit, what, (recorded) => signIn.invitation(recorded));
      },
      async secondFactor(visit) {
        const what = { interaction: LOGIN, query: 'oidc/second-factor' };
        return recordedForm(visit, what, (recorded) => signIn.secondFactor(recorded));
      },
      async signOut(visit) {
        const trail: SignInTrail = {};
        const next = await signIn.signOut({ ...visit, trail });
        if (trail.person !== undefined)
          await note(visit, trail, { interaction: LOGOUT, query: 'oidc/logout' }, OK);
        return next;
      },
    },
  };
}

function refusalOf(error: unknown): Ending {
  if (!(error instanceof OAuthError)) return endingOf(error);
  return { status: error.code === 'invalid_client' ? 401 : 400, reason: error.code };
}

/** A redirect without a session goes back to the client with an error. */
function endingOfStep(step: SignInStep): Ending {
  if (step.kind === 'redirect')
    return step.session === undefined ? { status: 400, reason: 'invalid_request' } : OK;
  if (!('status' in step)) return OK;
  if (step.status === 429) return { status: 429, reason: 'tooManyRequests' };
  return { status: step.status };
}
