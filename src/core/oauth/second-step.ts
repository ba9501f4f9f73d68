/**
 * The second step of a sign-in: after name and password, a person with a second factor sends a code; one who must have a second factor
 * sets one up. What was proved before stands in the form, signed for this browser, this page and this password; nothing is stored
 * until the step is complete.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { PageVisit, SecondStep as SecondStepPage, SignInTrail } from '../api/sign-in';
import { noteAccount } from '../audit/sign-in-trail';
import { FhirError } from '../errors';
import type { StoredUser } from '../storage/accounts/user-accounts';
import type { SecondFactorStore } from '../storage/accounts/second-factors';
import type { UserGrants } from '../authorization/user-grants';
import type { CredentialThrottle } from './credential-throttle';
import { tokenFor } from './form-token';
import {
  makeRecoveryCodes,
  makeSharedSecret,
  readTypedCode,
  showSharedSecret,
  stepOfCode,
} from './one-time-codes';
import { placeholderHash } from './secret-hash';
import type { Users } from './users';

/** Milliseconds between the password and the code. */
const PATIENCE_MS = 10 * 60_000;
const REQUIRED = 'You need a second factor here: you can only set up another one in its place.';
const WRONG_CODE = 'The code is not right, or was used before.';

/** What the person has proved on earlier pages. */
interface Proved {
  readonly user: StoredUser;
  /** Milliseconds since 1970. */
  readonly until: number;
  /** True: also a code of the present second factor. */
  readonly hasCode: boolean;
  /** The secret of a second factor to be. */
  readonly secret?: Buffer;
}

/** A browser at one of the pages. */
export interface SecondStepVisit extends Omit<PageVisit, 'form'> {
  /** Stands for the page: the request of the client, or the name of a page of our own. */
  readonly query: string;
  /** Value of the form cookie that the page has or will have. */
  readonly cookie: string;
  /** The final target of the browser. */
  readonly redirectUri?: string | undefined;
}

/** The end of a step: the person is known, or another page comes. */
export type StepEnd =
  | { readonly kind: 'proved'; readonly user: StoredUser; readonly codes?: readonly string[] }
  | { readonly kind: 'page'; readonly page: SecondStepPage }
  /** The proof of the password is missing, too old, or of another password. */
  | { readonly kind: 'expired' };

/** Why a step was not done: in words, or there were too many attempts. */
type Failed = string | FhirError;

export interface SecondStepParts {
  readonly store: SecondFactorStore;
  readonly users: Users;
  readonly throttle: CredentialThrottle;
  /** A keyed hash. */
  readonly digest: (text: string) => Buffer;
  readonly grants: Pick<UserGrants, 'invalidate'>;
  /** Notifies the other processes of a change of the tenant. */
  changed(tenant: string): void;
}

export class SecondStep {
  constructor(private readonly parts: SecondStepParts) {}

  /** Returns the step after a right password. `sets`: the person wants a new second factor. */
  after(visit: SecondStepVisit, user: StoredUser, sets: boolean): StepEnd {
    const proved = { user, until: Date.now() + PATIENCE_MS, hasCode: false };
    if (user.hasSecondFactor) return end(visit, 'password', this.#codePage(visit, proved, { sets }));
    if (!sets && visit.space.settings.secondFactor === 'optional') return { kind: 'proved', user };
    return end(visit, 'password', this.#enrolmentPage(visit, proved));
  }

  /** Returns the step after a code of the present second factor. `sets`: the person wants a new second factor. */
  async afterCode(
    visit: SecondStepVisit,
    form: ReadonlyMap<string, string>,
    sets: boolean,
  ): Promise<StepEnd> {
    const proved = await this.#proveCode(visit, form, sets);
    if ('kind' in proved) return proved;
    if (!sets) return { kind: 'proved', user: proved.user };
    return { kind: 'page', page: this.#enrolmentPage(visit, { ...proved, hasCode: true }) };
  }

  /** Removes the second factor after a code of it, unless the tenant requires one. */
  async afterRemoval(
    visit: SecondStepVisit,
    form: ReadonlyMap<string, string>,
  ): Promise<StepEnd | { readonly kind: 'removed' }> {
    const { space } = visit;
    const proved = await this.#proveCode(visit, form, true);
    if ('kind' in proved) return proved;
    if (space.settings.secondFactor === 'required')
      return { kind: 'page', page: this.#codePage(visit, proved, { sets: true, failed: REQUIRED }) };
    note(visit.trail, 'removal');
    await this.parts.store.remove(space, proved.user.id);
    this.#ended(visit);
    return { kind: 'removed' };
  }

  /** Returns what the person has proved, or the step after a code that is wrong. */
  async #proveCode(
    visit: SecondStepVisit,
    form: ReadonlyMap<string, string>,
    sets: boolean,
  ): Promise<Proved | StepEnd> {
    const proved = await this.#read(visit, form);
    if (proved?.user.hasSecondFactor !== true) return { kind: 'expired' };
    const { user } = proved;
    const typed = readTypedCode(form.get('code') ?? '');
    note(visit.trail, typed.kind);
    const { store } = this.parts;
    const attempt = (): Promise<boolean> =>
      typed.kind === 'code'
        ? store.useCode(visit.space, user.id, (secret) => stepOfCode(secret, typed.digits, Date.now()))
        : store.useRecoveryCode(visit.space, user.id, typed.hash);
    const failed = await this.#attempt(visit, user, attempt);
    if (failed === undefined) return proved;
    return { kind: 'page', page: this.#codePage(visit, proved, { sets, failed }) };
  }

  #ended({ space }: SecondStepVisit): void {
    this.parts.grants.invalidate();
    this.parts.changed(space.tenant);
  }

  /** Returns the step after the first code of a new second factor, with its recovery codes. */
  async afterEnrolment(visit: SecondStepVisit, form: ReadonlyMap<string, string>): Promise<StepEnd> {
    const proved = await this.#read(visit, form);
    if (proved?.secret === undefined) return { kind: 'expired' };
    const { user, secret, hasCode: isReplacement } = proved;
    note(visit.trail, 'enrolment');
    const typed = readTypedCode(form.get('code') ?? '');
    const step = typed.kind === 'code' ? stepOfCode(secret, typed.digits, Date.now()) : undefined;
    // The person sees the secret, so that there is nothing to guess.
    if (step === undefined) return { kind: 'page', page: this.#enrolmentPage(visit, proved, WRONG_CODE) };
    const { codes, hashes: recovery } = makeRecoveryCodes();
    const factor = {
      proved: user.hash,
      placeholder: placeholderHash(),
      secret,
      step,
      recovery,
      isReplacement,
    };
    if (!(await this.parts.store.put(visit.space, user.id, factor))) return { kind: 'expired' };
    this.#ended(visit);
    return { kind: 'proved', user, codes };
  }

  /** Undefined: the code was right. Otherwise why not. */
  async #attempt(
    { space, address }: SecondStepVisit,
    user: StoredUser,
    use: () => Promise<boolean>,
  ): Promise<Failed | undefined> {
    const { throttle, users } = this.parts;
    const isKnownNetwork = (network: string): Promise<boolean> => users.hasNetwork(space, user, network);
    const attempt = { kind: 'code', name: user.name, address, isKnownNetwork } as const;
    try {
      const isRight = await throttle.attemptSignIn(space, attempt, async () =>
        (await use()) ? true : undefined,
      );
      return isRight === true ? undefined : WRONG_CODE;
    } catch (error) {
      if (error instanceof FhirError && error.key === 'tooManyRequests') return error;
      throw error;
    }
  }

  #codePage(
    visit: SecondStepVisit,
    proved: Proved,
    { sets, failed }: { readonly sets: boolean; readonly failed?: Failed },
  ): SecondStepPage {
    const mayRemove = visit.space.settings.secondFactor !== 'required';
    const purpose = sets ? (mayRemove ? 'replace-or-remove' : 'replace') : 'sign-in';
    return { ...this.#page(visit, proved, failed), kind: 'code', purpose };
  }

  #enrolmentPage(visit: SecondStepVisit, proved: Proved, failed?: Failed): SecondStepPage {
    const { space } = visit;
    const { user, secret = makeSharedSecret() } = proved;
    const shown = showSharedSecret(secret, space.display ?? space.tenant, user.name);
    return { ...this.#page(visit, { ...proved, secret }, failed), kind: 'enrolment', ...shown };
  }

  #page(
    visit: SecondStepVisit,
    proved: Proved,
    failed: Failed | undefined,
  ): Omit<Extract<SecondStepPage, { kind: 'code' }>, 'kind' | 'purpose'> {
    const { space, cookie, redirectUri } = visit;
    const common = {
      ...{ redirectUri, formCookie: cookie, token: tokenFor(visit, cookie) },
      ...{ user: proved.user.display, tenant: space.display ?? space.tenant },
      proof: this.#write(visit, proved),
    };
    if (failed === undefined) return { ...common, status: 200 };
    if (typeof failed === 'string') return { ...common, status: 403, problem: failed };
    const { message: problem, retryAfterSeconds = 1 } = failed;
    return { ...common, status: 429, retryAfterSeconds, problem };
  }

  /** Returns what was proved as a text that only this server can make, for this page, browser and password. */
  #write(visit: SecondStepVisit, { user, until, hasCode, secret }: Proved): string {
    const text = [user.id, until, hasCode ? 1 : 0, secret?.toString('base64url') ?? ''].join(' ');
    return `${Buffer.from(text).toString('base64url')}.${this.#sign(visit, text, user).toString('base64url')}`;
  }

  #sign({ space, query, cookie }: SecondStepVisit, text: string, { hash }: StoredUser): Buffer {
    const parts = ['second step', String(space.tenantNumber), cookie, query, hash, text];
    return this.parts.digest(createHash('sha256').update(JSON.stringify(parts)).digest('base64url'));
  }

  async #read(visit: SecondStepVisit, form: ReadonlyMap<string, string>): Promise<Proved | undefined> {
    const [encoded = '', signature = ''] = (form.get('proof') ?? '').split('.');
    const text = Buffer.from(encoded, 'base64url').toString();
    const [id = '', until = '', hasCode = '', secret = ''] = text.split(' ');
    const user = await this.parts.users.find(visit.space, id);
    if (user === undefined || user.isDisabled) return undefined;
    const [sent, expected] = [Buffer.from(signature, 'base64url'), this.#sign(visit, text, user)];
    if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
    if (!(Number(until) > Date.now())) return undefined;
    noteAccount(visit.trail, { ...user, account: user.id });
    return {
      ...{ user, until: Number(until), hasCode: hasCode === '1' },
      ...(secret === '' ? {} : { secret: Buffer.from(secret, 'base64url') }),
    };
  }
}

function end({ trail }: SecondStepVisit, proof: SignInTrail['proof'], page: SecondStepPage): StepEnd {
  note(trail, proof);
  return { kind: 'page', page };
}

function note(trail: SignInTrail | undefined, proof: SignInTrail['proof']): void {
  if (trail !== undefined) trail.proof = proof;
}
