import { randomUUID } from 'node:crypto';
import type { UserChanges } from '../api/sign-in';
import { fhirError } from '../errors';
import type { OfTenant } from '../storage/client-applications';
import type { StoredUser, UserDetails, UserStore } from '../storage/user-accounts';
import type { Guesses } from './guesses';
import { hashPassword, isSecretOf } from './secret-hash';
import { tell, type SignInTrail } from './sign-in-trail';

const MAX_NAME = 100;
const MAX_DISPLAY = 200;
const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 200;
/** Kinds of people in FHIR who may sign in (https://hl7.org/fhir/smart-app-launch/scopes-and-launch-context.html). */
const PEOPLE = ['Practitioner', 'PractitionerRole', 'Patient', 'RelatedPerson', 'Person'];
const REFERENCE = /^([A-Z][A-Za-z]+)\/[A-Za-z0-9\-.]{1,64}$/;
const ID = /^[A-Za-z0-9\-.]{1,64}$/;

const NOTHING: UserDetails = {
  name: '',
  display: '',
  isDisabled: false,
  release: 'r4',
  fhirUser: null,
  patient: null,
};

/** The accounts of all tenants, and who knows their passwords. */
export class Users {
  /** Of a password that nobody has: whoever has no account waits as long as who has one. */
  #nobody: Promise<string> | undefined;

  constructor(
    private readonly store: UserStore,
    private readonly guesses: Guesses,
  ) {}

  find(space: OfTenant, id: string): Promise<StoredUser | undefined> {
    return this.store.find(space, id);
  }

  list(space: OfTenant): Promise<readonly StoredUser[]> {
    return this.store.list(space);
  }

  /**
   * Whose password it is; undefined: nobody's, or an account that is disabled. Cost: that of `hashPassword`, whether there is
   * such an account or not. Throws `tooManyRequests` where too many were wrong.
   */
  async prove(
    space: OfTenant,
    name: string,
    password: string,
    address: string,
    trail?: SignInTrail,
  ): Promise<StoredUser | undefined> {
    const folded = fold(name).slice(0, MAX_NAME);
    return this.guesses.attempt(space, { kind: 'user', name: folded }, address, async () => {
      const user = await this.store.findByName(space, folded);
      if (user !== undefined) tell(trail, { ...user, account: user.id });
      const hash = user?.hash ?? (await (this.#nobody ??= hashPassword(randomUUID())));
      const isRight = password.length <= LONGEST_PASSWORD && (await isSecretOf(password, hash));
      return isRight && user?.isDisabled === false ? user : undefined;
    });
  }

  /** Its id. Throws `invalidValue`. */
  async create(space: OfTenant, { password, ...changes }: UserChanges): Promise<string> {
    const details = change(changes);
    const hash = await hashPassword(requirePassword(password ?? '', details));
    const id = randomUUID();
    if (!(await this.store.create(space, id, details, hash)))
      refuse(`There is already a user '${details.name}', or the tenant has as many as it may have`);
    return id;
  }

  /** False when there is no such account. Throws `invalidValue`. */
  async change(space: OfTenant, id: string, { password, ...changes }: UserChanges): Promise<boolean> {
    const before = await this.store.find(space, id);
    if (before === undefined) return false;
    const details = change(changes, before);
    const hash = password === undefined ? undefined : await hashPassword(requirePassword(password, details));
    const isOther = details.fhirUser !== before.fhirUser || details.patient !== before.patient;
    const endsAll = hash !== undefined || details.isDisabled || isOther || details.release !== before.release;
    if (!(await this.store.update(space, id, details, hash, endsAll)))
      refuse(`There is already a user '${details.name}'`);
    return true;
  }

  /** False when there is no such account. */
  remove(space: OfTenant, id: string): Promise<boolean> {
    return this.store.remove(space, id);
  }
}

function change(changes: Omit<UserChanges, 'password'>, before: UserDetails = NOTHING): UserDetails {
  const entries: [string, unknown][] = Object.entries(changes);
  const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  const { name, display, isDisabled, release, fhirUser, patient }: UserDetails = { ...before, ...given };
  const folded = fold(name);
  if (!/^[^\s\p{C}]+$/u.test(folded) || folded.length > MAX_NAME)
    refuse(`A user has a name to sign in with, of 1 to ${MAX_NAME} characters without spaces`);
  const shown = display.trim() === '' ? name : display.trim();
  if (shown.length > MAX_DISPLAY || /\p{C}/u.test(shown))
    refuse(`What people call a user has up to ${MAX_DISPLAY} characters`);
  const type = fhirUser === null ? undefined : REFERENCE.exec(fhirUser)?.[1];
  if (fhirUser !== null && (type === undefined || !PEOPLE.includes(type)))
    refuse(`"fhirUser" refers to one of ${PEOPLE.join(', ')}, as Practitioner/1 does`);
  if (patient !== null && !ID.test(patient)) refuse('"patient" is the id of a Patient');
  return { name: folded, display: shown, isDisabled, release, fhirUser, patient };
}

/** https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver: length counts, what it is made of does not. */
function requirePassword(password: string, { name, display }: UserDetails): string {
  const length = [...password].length;
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD)
    refuse(`A password has ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
  if ([name, fold(display)].includes(fold(password)) || new Set(password).size < 4)
    refuse('That password is the first that anybody would try');
  return password;
}

function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim();
}

function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}
