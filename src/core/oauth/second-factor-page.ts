/** The page on which a person sets up a second factor, or replaces or removes it, without a client. */
import type { PageVisit, SignInStep } from '../api/sign-in';
import { SIGN_IN_STEPS } from '../audit/sign-in-trail';
import { isOurs, isToken, NOT_OURS, tokenFor } from './form-token';
import { makeToken } from './random-token';
import type { SignInSteps } from './sign-in-steps';

const PAGE = 'second-factor';
const REMOVAL = 'remove';
const NEXT = '../console';

type SignInPage = Extract<SignInStep, { kind: 'sign-in' }>;

export interface SecondFactorPageParts {
  readonly steps: SignInSteps;
  /** As that of `AuthorizationParts`. */
  readonly hidesTenants: boolean;
}

/** As `SignIn.secondFactor`. */
export async function showSecondFactor(
  { steps, hidesTenants }: SecondFactorPageParts,
  sent: PageVisit,
): Promise<SignInStep> {
  const { form, space } = sent;
  const cookie = isToken(sent.formCookie) ? sent.formCookie : makeToken();
  const visit = { ...sent, query: PAGE, cookie };
  const again = (
    shown: Pick<SignInPage, 'status' | 'retryAfterSeconds' | 'problem' | 'user'>,
  ): SignInStep => ({
    ...{ kind: 'sign-in', client: 'your second factor', formCookie: cookie, token: tokenFor(visit, cookie) },
    tenant: hidesTenants ? space.tenant : (space.display ?? space.tenant),
    ...shown,
  });
  if (form === undefined) return again({ status: 200 });
  const step = form.get('step') ?? '';
  if (![...SIGN_IN_STEPS, REMOVAL].includes(step) || !isOurs(visit, form.get('token') ?? '', step))
    return NOT_OURS;
  const end =
    step === REMOVAL ? await steps.remove(visit, form) : await steps.take(visit, { step, form, sets: true });
  if (end.kind === 'removed') return { kind: 'second-factor-removed', next: NEXT };
  if (end.kind === 'page') return end.page;
  if (end.kind === 'again') return again(end.shown);
  return { kind: 'recovery-codes', codes: end.codes ?? [], next: NEXT };
}
