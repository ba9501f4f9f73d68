import { randomUUID } from 'node:crypto';
import type { UserChanges, SignInTrail } from '../api/sign-in';
import { fhirError } from '../errors';
import { SHOWN_NAME_EXPECTED } from '../limits/shown-name';
import { networkOf } from '../network/ip-address';
import type { AdministeredTenant } from '../storage/accounts/administrators';
import type { TenantReference } from '../storage/accounts/client-applications';
import type { SignInNetworkStore } from '../storage/accounts/sign-in-networks';
import type { StoredUser, UserDetails, UserStore } from '../storage/accounts/user-accounts';
import type { CredentialThrottle } from './credential-throttle';
import { PERSON_TYPES } from '../authorization/person';
import { hashPassword, isSecretOf, placeholderHash } from './secret-hash';
import { noteAccount } from '../audit/sign-in-trail';
import { ID, isValidId } from '../fhir/resource';

const MAX_NAME = 100;
const MAX_DISPLAY = 200;
const SHORTEST_PASSWORD = 12;
const LONGEST_PASSWORD = 200;
/** Without the joiners, which names in Persian and in scripts of India are written with. */
const HIDDEN = /[^\P{C}\u200c\u200d]/u;
const REFERENCE = new RegExp(`^([A-Z][A-Za-z]+)/${ID}$`);

const NOTHING: UserDetails = {
  name: '',
  display: '',
  isDisabled: false,
  release: 'r4',
  fhirUser: null,
  patient: null,
  isAdministrator: false,
  isAuditor: false,
};

/** A name and a password as they were sent. */
interface NameAndPassword {
  readonly name: string;
  readonly password: string;
  readonly address: string;
  readonly trail?: SignInTrail;
}

/** The accounts of all tenants, and their password checks. */
export class Users {
  /** Hash of a random password, so that a sign-in takes equally long whether the account exists or not. */
  #decoy: Promise<string> | undefined;

  constructor(
    private readonly store: UserStore,
    private readonly throttle: CredentialThrottle,
    private readonly networks: SignInNetworkStore,
  ) {}

  find(space: TenantReference, id: string): Promise<StoredUser | undefined> {
    return this.store.find(space, id);
  }

  list(space: TenantReference): Promise<readonly StoredUser[]> {
    return this.store.list(space);
  }

  /**
   * Returns the account of a name and password; undefined: wrong, or the account is disabled. Cost: that of `hashPassword`, whether the account exists or not. Throws
   * `tooManyRequests` after too many wrong passwords.
   */
  async prove(
    space: TenantReference,
    { name, password, address, trail }: NameAndPassword,
  ): Promise<StoredUser | undefined> {
    const folded = fold(name).slice(0, MAX_NAME);
    const wasUsedBefore = async (network: string): Promise<boolean> => {
      const user = await this.store.findByName(space, folded);
      return user !== undefined && this.networks.has(space, user.id, network);
    };
    return this.throttle.attemptSignIn(
      space,
      { kind: 'user', name: folded, address, isKnownNetwork: wasUsedBefore },
      async () => {
        const named = await this.store.findByName(space, folded);
        if (named !== undefined) noteAccount(trail, { ...named, account: named.id });
        const hash = named?.hash ?? (await (this.#decoy ??= hashPassword(randomUUID())));
        const isRight = lengthOf(password) <= LONGEST_PASSWORD && (await isSecretOf(password, hash));
        return isRight && named?.isDisabled === false ? named : undefined;
      },
    );
  }

  /** Stores the network of an address as one from which the account has signed in. */
  async noteNetwork(space: TenantReference, { id }: StoredUser, address: string): Promise<void> {
    await this.networks.add(space, id, networkOf(address));
  }

  /** True: the account has signed in from the network (`networkOf`) before. */
  hasNetwork(space: TenantReference, { id }: StoredUser, network: string): Promise<boolean> {
    return this.networks.has(space, id, network);
  }

  /** Creates an account and returns its id. Without a password, each is wrong. Throws `invalidValue`. */
  async create(space: TenantReference, { password, ...changes }: UserChanges): Promise<string> {
    const details = change(changes);
    const hash =
      password === undefined ? placeholderHash() : await hashPassword(requirePassword(password, details));
    const id = randomUUID();
    if (!(await this.store.create(space, id, details, hash)))
      refuse(
        `The user '${details.name}' exists already, or the tenant has the largest allowed number of users`,
      );
    return id;
  }

  /** False: there is no such account. Throws `invalidValue`, `lastAdministrator`. */
  async change(
    space: AdministeredTenant,
    id: string,
    { password, ...changes }: UserChanges,
  ): Promise<boolean> {
    let name: string | undefined;
    const isChanged = await this.store.update(space, id, async (before) => {
      const details = change(changes, before);
      name = details.name;
      const hash =
        password === undefined ? undefined : await hashPassword(requirePassword(password, details));
      const isOther = details.fhirUser !== before.fhirUser || details.patient !== before.patient;
      const endsAll =
        hash !== undefined || details.isDisabled || isOther || details.release !== before.release;
      return { details, hash, endsAll };
    });
    if (!isChanged && name !== undefined) refuse(`The user '${name}' exists already`);
    return isChanged;
  }

  /** False: there is no such account. Throws `lastAdministrator`. */
  remove(space: AdministeredTenant, id: string): Promise<boolean> {
    return this.store.remove(space, id);
  }
}

function change(changes: Omit<UserChanges, 'password'>, before: UserDetails = NOTHING): UserDetails {
  const entries: [string, unknown][] = Object.entries(changes);
  const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  const merged: UserDetails = { ...before, ...given };
  const { name, display, isDisabled, release, fhirUser, patient, isAdministrator, isAuditor } = merged;
  const folded = fold(name);
  if (!/^[^\s\p{C}]+$/u.test(folded) || folded.length > MAX_NAME)
    refuse(
      `The name to sign in with must have 1 to ${MAX_NAME} characters, without spaces and control characters`,
    );
  const shown = display.trim() === '' ? name : display.trim();
  if (shown.length > MAX_DISPLAY || HIDDEN.test(shown))
    refuse(`The displayed name must have at most ${MAX_DISPLAY} characters, ${SHOWN_NAME_EXPECTED}`);
  const type = fhirUser === null ? undefined : REFERENCE.exec(fhirUser)?.[1];
  if (fhirUser !== null && (type === undefined || !PERSON_TYPES.includes(type)))
    refuse(`"fhirUser" must refer to one of ${PERSON_TYPES.join(', ')}, as Practitioner/1 does`);
  if (patient !== null && !isValidId(patient)) refuse('"patient" must be the id of a Patient');
  return {
    ...{ name: folded, display: shown, isDisabled, release, fhirUser, patient },
    ...{ isAdministrator, isAuditor },
  };
}

/** Throws `invalidValue`. https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver: the length matters, not the kinds of characters. */
export function requirePassword(password: string, { name, display }: UserDetails): string {
  const length = lengthOf(password);
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD)
    refuse(`A password must have ${SHORTEST_PASSWORD} to ${LONGEST_PASSWORD} characters`);
  if ([name, fold(display)].includes(fold(password)) || new Set(password).size < 4)
    refuse('The password is too easy to guess');
  return password;
}

/** Characters, of which some are two for JavaScript. */
function lengthOf(password: string): number {
  return [...password].length;
}

function fold(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim();
}

function refuse(reason: string): never {
  throw fhirError('invalidValue', { reason });
}
