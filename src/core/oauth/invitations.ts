/**
 * Invitations: a link, valid once and for a day, by which a person sets the password of an account. Its secret stands behind the `#`
 * of the link; the page sends it in a form, and only its hash is stored.
 */
import type { Invitation, PageVisit, SignInStep } from '../api/sign-in';
import { toInvitation } from '../api/tenant-address';
import { noteAccount } from '../audit/sign-in-trail';
import type { TenantSpace } from '../context';
import { FhirError, fhirError } from '../errors';
import type { StoredUser, UserStore } from '../storage/accounts/user-accounts';
import type { InvitationStore } from '../storage/accounts/user-invitations';
import type { UserGrants } from '../authorization/user-grants';
import type { CredentialThrottle } from './credential-throttle';
import { isOurs, isToken, NOT_OURS, tokenFor } from './form-token';
import { mailInvitation, requireMail, type MailParts } from './invitation-mail';
import { hashToken, makeToken } from './random-token';
import { hashPassword } from './secret-hash';
import { requirePassword } from './users';

const DAY_SECONDS = 24 * 3600;
const NOT_VALID = 'This link is not valid, or not any more. Ask your administrator for a new one.';
const DIFFERENT = 'The two passwords differ.';
const PAGE = 'invitation';

type InvitationPage = Extract<SignInStep, { kind: 'invitation' }>;

export interface InvitationParts {
  readonly store: InvitationStore;
  readonly users: UserStore;
  readonly throttle: CredentialThrottle;
  readonly mail: MailParts;
  readonly grants: Pick<UserGrants, 'invalidate'>;
  /** Notifies the other processes of a change of the tenant. */
  changed(tenant: string): void;
}

export class Invitations {
  constructor(private readonly parts: InvitationParts) {}

  /** As `Users.canMail` of api/sign-in.ts. */
  get canMail(): boolean {
    return this.parts.mail.send !== undefined;
  }

  /** As `Users.invite` of api/sign-in.ts. */
  async invite(
    space: TenantSpace,
    { id, base, email }: { readonly id: string; readonly base: string; readonly email?: string | undefined },
  ): Promise<Invitation | undefined> {
    const { mail } = this.parts;
    const send = email === undefined ? undefined : await requireMail(mail, space, email);
    const secret = makeToken();
    const invited = { id, hash: hashToken(secret), seconds: DAY_SECONDS };
    const expires = await this.parts.store.invite(space, invited);
    if (expires !== undefined) {
      const made = { link: toInvitation({ base, tenant: space.tenant }, secret), expires };
      if (send === undefined || email === undefined) return made;
      return mailInvitation(send, { space, email, log: mail.log }, made);
    }
    if ((await this.parts.users.find(space, id)) === undefined) return undefined;
    throw fhirError('invalidValue', { reason: 'The account is disabled' });
  }

  /** As `SignIn.invitation`. */
  async step(visit: PageVisit): Promise<SignInStep> {
    const { form } = visit;
    if (form === undefined) return toPage(visit, { status: 200 });
    if (!isOurs({ ...visit, query: PAGE }, form.get('token') ?? '', 'sign-in')) return NOT_OURS;
    const secret = form.get('secret') ?? '';
    try {
      return await this.#setPassword(visit, form, secret);
    } catch (error) {
      if (!(error instanceof FhirError)) throw error;
      const { key, message: problem, retryAfterSeconds = 1 } = error;
      if (key === 'invalidValue') return toPage(visit, { status: 400, problem: `${problem}.`, secret });
      if (key !== 'tooManyRequests') throw error;
      return toPage(visit, { status: 429, retryAfterSeconds, problem, secret });
    }
  }

  /** The answer to a secret that is wrong, has expired or was used is the same. */
  async #setPassword(
    visit: PageVisit,
    form: ReadonlyMap<string, string>,
    secret: string,
  ): Promise<SignInStep> {
    // The page says that it has no link; nothing was guessed.
    if (secret === '') return toPage(visit, { status: 400 });
    const { space, address, trail } = visit;
    const { store, throttle, grants, changed } = this.parts;
    const claimed = { kind: 'invitation', name: hashToken(secret).toString('base64url') } as const;
    const user = await throttle.attempt(space, claimed, address, () => this.#find(space, secret));
    if (user === undefined) return toPage(visit, { status: 403, problem: NOT_VALID });
    noteAccount(trail, { ...user, account: user.id });
    const password = requirePassword(form.get('password') ?? '', user);
    if (password !== form.get('again')) return toPage(visit, { status: 400, problem: DIFFERENT, secret });
    if (!(await store.use(space, hashToken(secret), await hashPassword(password))))
      return toPage(visit, { status: 403, problem: NOT_VALID });
    grants.invalidate();
    changed(space.tenant);
    return { kind: 'password-set', user: user.name, tenant: space.display ?? space.tenant };
  }

  async #find(space: TenantSpace, secret: string): Promise<StoredUser | undefined> {
    const account = await this.parts.store.find(space, hashToken(secret));
    return account === undefined ? undefined : this.parts.users.find(space, account);
  }
}

function toPage(
  { formCookie: sent }: PageVisit,
  shown: Pick<InvitationPage, 'status' | 'retryAfterSeconds' | 'problem' | 'secret'>,
): InvitationPage {
  const formCookie = isToken(sent) ? sent : makeToken();
  return { kind: PAGE, formCookie, token: tokenFor({ query: PAGE }, formCookie), ...shown };
}
