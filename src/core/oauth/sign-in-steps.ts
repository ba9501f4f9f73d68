/** The steps in which a person proves who is there: name and password, and a second factor where there must be one. */
import { FhirError } from '../errors';
import type { SecondStep as SecondStepPage, SignInStep } from '../api/sign-in';
import type { StoredUser } from '../storage/accounts/user-accounts';
import type { SecondStep, SecondStepVisit, StepEnd } from './second-step';
import type { Users } from './users';

type SignInPage = Extract<SignInStep, { kind: 'sign-in' }>;

/** The end of a step: the person is known, another page comes, or the first page again. */
export type SignInEnd =
  | { readonly kind: 'proved'; readonly user: StoredUser; readonly codes?: readonly string[] }
  | { readonly kind: 'page'; readonly page: SecondStepPage }
  | {
      readonly kind: 'again';
      readonly shown: Pick<SignInPage, 'status' | 'retryAfterSeconds' | 'problem' | 'user'>;
    };

/** A form of one of the pages. */
export interface SignInForm {
  /** One of `SIGN_IN_STEPS` (audit/sign-in-trail.ts). */
  readonly step: string;
  readonly form: ReadonlyMap<string, string>;
  /** True: the person wants a new second factor. */
  readonly sets: boolean;
}

const EXPIRED: SignInEnd = {
  kind: 'again',
  shown: { status: 403, problem: 'That took too long, or was done in another window. Sign in again.' },
};

export class SignInSteps {
  constructor(
    private readonly users: Users,
    private readonly second: SecondStep,
  ) {}

  /** Throws as `Users.prove`, but for too many attempts, which a page says. */
  async take(visit: SecondStepVisit, sent: SignInForm): Promise<SignInEnd> {
    const end = await this.#take(visit, sent);
    if (end.kind === 'proved') await this.users.noteNetwork(visit.space, end.user, visit.address);
    if (end.kind !== 'expired') return end;
    return EXPIRED;
  }

  /** Takes the form by which a person removes the second factor. */
  async remove(
    visit: SecondStepVisit,
    form: ReadonlyMap<string, string>,
  ): Promise<SignInEnd | { readonly kind: 'removed' }> {
    const end = await this.second.afterRemoval(visit, form);
    return end.kind === 'expired' ? EXPIRED : end;
  }

  async #take(visit: SecondStepVisit, { step, form, sets }: SignInForm): Promise<SignInEnd | StepEnd> {
    if (step === 'code') return this.second.afterCode(visit, form, sets);
    if (step === 'enrol') return this.second.afterEnrolment(visit, form);
    const { space, address, trail } = visit;
    const name = form.get('user') ?? '';
    const again = (
      status: 403 | 429,
      problem: string,
      wait: Pick<SignInPage, 'retryAfterSeconds'> = {},
    ): SignInEnd => ({ kind: 'again', shown: { status, problem, user: name, ...wait } });
    try {
      const password = form.get('password') ?? '';
      const user = await this.users.prove(space, { name, password, address, trail });
      if (user === undefined) return again(403, 'The name or the password is not right.');
      return this.second.after(visit, user, sets);
    } catch (error) {
      if (!(error instanceof FhirError) || error.key !== 'tooManyRequests') throw error;
      return again(429, error.message, { retryAfterSeconds: error.retryAfterSeconds ?? 1 });
    }
  }
}
