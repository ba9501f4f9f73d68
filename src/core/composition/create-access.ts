import type { Caller, Clients as ClientAdministration, Issuers, Tokens } from '../api/access';
import type { AccessQuestion } from '../api/access-explanation';
import type { Credentials } from '../api/credentials';
import type { Interactions } from '../api/interactions';
import type { SignIn, Users as UserAdministration } from '../api/sign-in';
import { PersonPatients, type PersonSource } from '../authorization/person-patients';
import { UserGrants } from '../authorization/user-grants';
import type { Log, TenantSpace } from '../context';
import { fhirError } from '../errors';
import { loadDefinitions } from '../fhir/definitions';
import { parseStoredObject } from '../fhir/json';
import { RELEASE_NAMES, type Release } from '../fhir/release';
import { registerCache } from '../memory/cache-registry';
import { AccessTokens } from '../oauth/access-tokens';
import {
  administerClients,
  administerIssuers,
  administerUsers,
  type AdministeredTenants,
} from '../oauth/administration';
import { Authentication } from '../oauth/authentication';
import { AuthorizationEndpoint } from '../oauth/authorization-endpoint';
import { ClientAuthentication } from '../oauth/client-authentication';
import { Clients } from '../oauth/clients';
import { CredentialThrottle } from '../oauth/credential-throttle';
import { explainedCaller, type ExplainedCaller } from '../oauth/explained-caller';
import { Invitations } from '../oauth/invitations';
import { OutsideIssuers } from '../oauth/issuers';
import { LogoutEndpoint } from '../oauth/logout-endpoint';
import { RemoteKeys } from '../oauth/remote-keys';
import { showSecondFactor } from '../oauth/second-factor-page';
import { SecondStep } from '../oauth/second-step';
import { SignInSteps } from '../oauth/sign-in-steps';
import { SigningKeys } from '../oauth/signing-keys';
import { Users } from '../oauth/users';
import { Outbound } from '../outbound/outbound';
import type { DefinitionServices, ReadServices } from '../ports';
import type { SearchTypeContext } from '../search/types/search-type';
import { ClientStore } from '../storage/accounts/client-applications';
import { SecondFactorStore } from '../storage/accounts/second-factors';
import { SignInNetworkStore } from '../storage/accounts/sign-in-networks';
import { SigningKeyStore } from '../storage/accounts/signing-keys';
import { IssuerStore } from '../storage/accounts/token-issuers';
import { UserStore } from '../storage/accounts/user-accounts';
import { InvitationStore } from '../storage/accounts/user-invitations';
import { GrantStore } from '../storage/accounts/user-grants';
import type { CoreOptions } from './core-options';
import type { BaseServices } from './create-foundation';
import { createTokens } from './create-tokens';

/** Administration of those who have access to a tenant. */
interface AccountAdministration {
  readonly clients: ClientAdministration;
  readonly issuers: Issuers;
  readonly users: UserAdministration;
}

/** Identification of callers, and its administration: clients, keys, tokens. */
export interface AccessParts extends AccountAdministration {
  /** The same for the administrators of a tenant: the last one of them cannot remove itself. */
  readonly own: AccountAdministration;
  /** As `Core.decoy`. */
  decoy(tenant: string, release: Release): TenantSpace | undefined;
  identify(credentials: Credentials): Caller | Promise<Caller>;
  renewCaller(space: TenantSpace, caller: Caller): Promise<Caller>;
  explainedCaller(
    space: TenantSpace,
    question: Pick<AccessQuestion, 'client' | 'user' | 'patient'>,
  ): Promise<ExplainedCaller | undefined>;
  readonly tokens: Tokens;
  readonly signIn: SignIn;
  /** Invalidates caches after a change in another process. */
  invalidate(): void;
  /**
   * Creates what the first sign-in of the tenant `system` needs (other tenants get theirs on demand), and logs, once,
   * the issuers that had no release.
   */
  start(): void;
  close(): Promise<void>;
}

/** Parts of core that access needs. */
export interface AccessServices {
  readonly services: PersonServices;
  readonly interactions: Pick<Interactions, 'search' | 'read'>;
}

type PersonServices = Pick<ReadServices, 'reader' | 'keys'> &
  Pick<DefinitionServices, 'references' | 'searchContext'>;

const SYSTEM = 'system';

/** Creates access with the services and interactions of core. Cost: nothing; keys and clients are read on demand. */
export function createAccess(
  options: CoreOptions,
  foundation: BaseServices,
  { services, interactions }: AccessServices,
): AccessParts {
  const { authMode, log, publicUrls } = options;
  const { spaces } = foundation;
  const decoy: AccessParts['decoy'] = (tenant, release) =>
    authMode === 'enforced' ? spaces.decoy(tenant, release) : undefined;
  const findSpace = (tenant: string, release: Release): Promise<TenantSpace | undefined> =>
    spaces.find(tenant, release);
  // The operator may leave a tenant without administrators, but not the server.
  const tenants = administeredTenants(spaces, (tenant) => tenant === SYSTEM);
  const accounts = createAccounts(options, foundation);
  const { store, clients, keys, issuers, users, grantStore, grants, destinations } = accounts;
  const tokens = new AccessTokens(keys, publicUrls);
  const personSource = createPersonSource(services);
  const people = registerCache(new PersonPatients(personSource));
  const searchContext = (space: TenantSpace): SearchTypeContext => services.searchContext(space);
  const { assertionBases, tokenSeconds: seconds } = options;
  const authentication = new Authentication(authMode, {
    ...{ clients, keys, tokens, issuers, grants, publicUrls, findSpace, decoy },
    patients: people,
  });
  const issued = createTokens({
    ...{ tokens, users, findSpace, searchContext, seconds, keys, tenants, decoy },
    digest: foundation.digest,
    authentication: new ClientAuthentication({
      ...{ clients, store, assertionBases },
      remoteKeys: accounts.remoteKeys,
    }),
    grants: grantStore,
    userGrants: grants,
  });
  const hidesTenants = authMode === 'enforced';
  const secondFactors = new SecondFactorStore(options.database);
  const { throttle } = accounts;
  const second = new SecondStep({
    ...{ users, throttle, grants, digest: foundation.digest, changed: tenants.changed },
    store: secondFactors,
  });
  const steps = new SignInSteps(users, second);
  const authorization = new AuthorizationEndpoint({
    ...{ clients, users, publicUrls, findSpace, searchContext, people, seconds },
    ...{ steps, hidesTenants },
    grants: grantStore,
    patients: interactions,
  });
  const logout = new LogoutEndpoint({
    ...{ clients, users, tokens, publicUrls },
    grants: grantStore,
    userGrants: grants,
  });
  const invitations = new Invitations({
    ...{ grants, throttle, changed: tenants.changed },
    users: accounts.userStore,
    mail: { send: options.sendMail, rates: foundation.rates, log },
    store: new InvitationStore(foundation.database, options.database),
  });
  const administer = (of: AdministeredTenants): AccountAdministration => ({
    clients: administerClients({
      ...{ tenants: of, clients, store, destinations, publicUrls },
      async searchContexts(tenant) {
        const found = await Promise.all(RELEASE_NAMES.map((release) => findSpace(tenant, release)));
        return found.flatMap((space) => (space === undefined ? [] : [searchContext(space)]));
      },
    }),
    issuers: administerIssuers(issuers, of),
    users: administerUsers({ users, invitations, secondFactors, grants }, of),
  });
  let starting: Promise<unknown> | undefined;

  return {
    ...administer(tenants),
    own: administer(administeredTenants(spaces, () => true)),
    start() {
      const making = authMode === 'enforced' ? [makeFirstKeys(keys, tenants, log)] : [];
      starting ??= Promise.all([nameReleases(issuers, log), ...making]);
    },
    async close() {
      await starting;
    },
    decoy,
    identify: (credentials) => authentication.identify(credentials),
    renewCaller: (space, caller) => authentication.renew(space, caller),
    explainedCaller: (space, question) =>
      explainedCaller({ clients, users, people, source: personSource }, space, question),
    tokens: issued,
    signIn: {
      step: (visit) => authorization.step(visit),
      invitation: (visit) => invitations.step(visit),
      secondFactor: (visit) => showSecondFactor({ steps, hidesTenants }, visit),
      launch: (space, context) => authorization.launch(space, context),
      signOut: (visit) => logout.signOut(visit),
    },
    invalidate() {
      for (const cached of [clients, grants, keys, issuers]) cached.invalidate();
    },
  };
}

function administeredTenants(
  spaces: BaseServices['spaces'],
  keepsAdministrator: (tenant: string) => boolean,
): AdministeredTenants {
  return {
    async spaceOf(tenant) {
      const space = await spaces.find(tenant, 'r4');
      if (space === undefined) throw fhirError('unknownTenant');
      return { ...space, keepsAdministrator: keepsAdministrator(tenant) };
    },
    changed: (tenant) => spaces.changed(tenant),
  };
}

/** Clients, users, issuers, keys and grants, with their stores. */
interface Accounts {
  readonly store: ClientStore;
  readonly clients: Clients;
  readonly keys: SigningKeys;
  readonly remoteKeys: RemoteKeys;
  readonly destinations: Outbound['destinations'];
  readonly issuers: OutsideIssuers;
  readonly grantStore: GrantStore;
  readonly grants: UserGrants;
  readonly userStore: UserStore;
  readonly users: Users;
  readonly throttle: CredentialThrottle;
}

function createAccounts(
  { database: owner, log, outboundAllowedHosts, outsideTokenSeconds }: CoreOptions,
  { database, guesses, rates, digest }: BaseServices,
): Accounts {
  const outbound = new Outbound(outboundAllowedHosts);
  const { destinations } = outbound;
  const store = new ClientStore(database, owner);
  const throttle = new CredentialThrottle(guesses);
  const remoteKeys = new RemoteKeys({ outbound, log, rates });
  const grantStore = new GrantStore(database);
  const userStore = new UserStore(database, owner);
  return {
    ...{ store, remoteKeys, destinations, grantStore, userStore, throttle },
    clients: new Clients(store, throttle),
    keys: new SigningKeys(new SigningKeyStore(database, owner)),
    issuers: new OutsideIssuers({
      store: new IssuerStore(database, owner),
      keys: remoteKeys,
      destinations,
      longestSeconds: outsideTokenSeconds,
    }),
    grants: new UserGrants(grantStore),
    users: new Users(userStore, throttle, new SignInNetworkStore(database, digest)),
  };
}

function createPersonSource(services: Omit<PersonServices, 'searchContext'>): PersonSource {
  return {
    references: (space) => services.references(space),
    async find({ number, release }, type, id) {
      const typeNumber = loadDefinitions(release).typeNumber(type);
      if (typeNumber === undefined) return undefined;
      const key = { type: typeNumber, key: services.keys.keyOf(type, id) };
      const row = await services.reader.current(number, key);
      return row === undefined || row.change === 'delete' ? undefined : parseStoredObject(row.body);
    },
  };
}

async function makeFirstKeys(keys: SigningKeys, tenants: AdministeredTenants, log: Log): Promise<void> {
  try {
    await keys.publicKeys(await tenants.spaceOf(SYSTEM));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn(
      { reason },
      'signing keys could not be created at the start: they are created when they are needed',
    );
  }
}

async function nameReleases(issuers: OutsideIssuers, log: Log): Promise<void> {
  try {
    for (const { tenant, issuer } of await issuers.nameReleases())
      log.warn(
        { tenant, issuer },
        'this issuer had no release: it is set to r4, to which the ids in its tokens belong (change it with npx --no-install andiron issuer put … --release)',
      );
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn({ reason }, 'issuers without a release could not be read at the start');
  }
}
