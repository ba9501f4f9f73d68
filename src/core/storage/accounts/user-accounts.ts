/** Accounts of the users who sign in to a tenant (docs/run/access.md). */
import { sql } from 'kysely';
import type { ReleaseScope } from '../../fhir/release';
import { changeAccounts, type AdministeredTenant } from './administrators';
import type { TenantReference } from './client-applications';
import type { Database, DatabaseOptions, Row } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template, type Bound, type Statement } from '../connection/statement';
import { endInvitation, endSignIns, setPassword } from './user-password';

/** The properties of an account that can be set, except its password. */
export interface UserDetails {
  /** The sign-in name, folded: small letters, composed characters. */
  readonly name: string;
  /** The name to display. */
  readonly display: string;
  readonly isDisabled: boolean;
  /** The release of `fhirUser` and `patient`; they give no access to another release. */
  readonly release: ReleaseScope;
  /** Relative reference to the user's resource, such as `Practitioner/1`. */
  readonly fhirUser: string | null;
  /** Id of the Patient whose record is the user's own; if `fhirUser` is a Patient, null means that one. */
  readonly patient: string | null;
  /** The rights of the person, for clients with the scope `administration`. */
  readonly isAdministrator: boolean;
  readonly isAuditor: boolean;
}

export interface StoredUser extends UserDetails {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Expiry of an invitation that is not used yet, in milliseconds since 1970; it may have passed. */
  readonly invited: number | null;
  readonly hasSecondFactor: boolean;
  /** Hash of the password (oauth/secret-hash.ts). */
  readonly hash: string;
}

const COLUMNS = sql`
  a.id, a.name, a.display, a.disabled, a.release, a.fhir_user, a.patient, a.administrator, a.auditor,
  floor(extract(epoch from a.created) * 1000)::bigint, floor(extract(epoch from i.expires) * 1000)::bigint,
  f.account is not null, case when a.hash = f.placeholder then f.hash else a.hash end`;
const ACCOUNTS = sql`
  andiron.user_account a
  left join andiron.user_invitation i on i.tenant = ${bind('tenant')}::int and i.account = a.id
  left join andiron.second_factor f on f.tenant = ${bind('tenant')}::int and f.account = a.id`;

const FIND = defineStatement(
  template(sql`
    select ${COLUMNS} from ${ACCOUNTS}
    where a.tenant = ${bind('tenant')}::int and a.id = ${bind('id')} limit 1`),
);
const FIND_BY_NAME = defineStatement(
  template(sql`
    select ${COLUMNS} from ${ACCOUNTS}
    where a.tenant = ${bind('tenant')}::int and a.name = ${bind('name')} limit 1`),
);
const LIST = defineStatement(
  template(sql`
    select ${COLUMNS} from ${ACCOUNTS}
    where a.tenant = ${bind('tenant')}::int order by a.name limit ${bind('limit')}::int`),
);
const CREATE = defineStatement(
  template(sql`
    insert into andiron.user_account (tenant, id, name, display, hash, disabled, release, fhir_user, patient,
      administrator, auditor)
    select ${bind('tenant')}::int, ${bind('id')}, ${bind('name')}, ${bind('display')}, ${bind('hash')},
      ${bind('disabled')}::boolean, ${bind('release')}, ${bind('fhirUser')}::text, ${bind('patient')}::text,
      ${bind('administrator')}::boolean, ${bind('auditor')}::boolean
    where (select count(*) from andiron.user_account a where a.tenant = ${bind('tenant')}::int) < ${bind('most')}::int
    on conflict do nothing
    returning id`),
  { named: false },
);
const CHANGE = defineStatement(
  template(sql`
    update andiron.user_account a set name = ${bind('name')}, display = ${bind('display')},
      disabled = ${bind('disabled')}::boolean,
      release = ${bind('release')}, fhir_user = ${bind('fhirUser')}::text, patient = ${bind('patient')}::text,
      administrator = ${bind('administrator')}::boolean, auditor = ${bind('auditor')}::boolean
    where a.tenant = ${bind('tenant')}::int and a.id = ${bind('id')}
      and not exists (
        select 1 from andiron.user_account b
        where b.tenant = ${bind('tenant')}::int and b.name = ${bind('name')} and b.id <> a.id)
    returning a.id`),
  { named: false },
);
const REMOVE = defineStatement(
  template(sql`
    delete from andiron.user_account where tenant = ${bind('tenant')}::int and id = ${bind('id')} returning id`),
  { named: false },
);
export interface UserUpdate {
  readonly details: UserDetails;
  /** Undefined: the password stays. */
  readonly hash: string | undefined;
  /** Ends all sessions of the account and revokes its grants. */
  readonly endsAll: boolean;
}

/** Accounts of one tenant. */
const MAX_USERS = 100_000;
const MAX_LISTED = 10_000;

/** Stores accounts. Reads run as the application role, changes as the owner on a connection of their own. */
export class UserStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  async find(space: TenantReference, id: string): Promise<StoredUser | undefined> {
    return this.one(space, FIND, { id });
  }

  /** `name`: folded, as in `UserDetails`. */
  async findByName(space: TenantReference, name: string): Promise<StoredUser | undefined> {
    return this.one(space, FIND_BY_NAME, { name });
  }

  /** The first 10,000 by name. */
  async list(space: TenantReference): Promise<StoredUser[]> {
    const bound = { tenant: space.tenantNumber, limit: MAX_LISTED };
    return (await this.database.run({ lane: 'search', space: space.number }, LIST, bound)).map(toUser);
  }

  /** False: the id or name exists, or the tenant is at the limit. */
  async create(
    { tenantNumber }: TenantReference,
    id: string,
    details: UserDetails,
    hash: string,
  ): Promise<boolean> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const bound = { ...toBound(details), tenant: tenantNumber, id, hash, most: MAX_USERS };
      return (await session.run(CREATE, bound)).length > 0;
    });
  }

  /**
   * Changes an account as `decide` says, which gets it as it is when no other change is under way. False: it does not
   * exist, or another has the name. Throws `lastAdministrator`.
   */
  async update(
    of: AdministeredTenant,
    id: string,
    decide: (before: StoredUser) => Promise<UserUpdate>,
  ): Promise<boolean> {
    return changeAccounts(this.owner, of, async (session) => {
      const before = await this.find(of, id);
      if (before === undefined) return false;
      const { details, hash, endsAll } = await decide(before);
      const key = { tenant: of.tenantNumber, id };
      if ((await session.run(CHANGE, { ...toBound(details), ...key })).length === 0) return false;
      if (hash !== undefined) await setPassword(session, key, hash);
      if (details.isDisabled) await endInvitation(session, key);
      if (endsAll) await endSignIns(session, key);
      return true;
    });
  }

  /** Removes an account with its sessions and grants. False: it does not exist. Throws `lastAdministrator`. */
  async remove(of: AdministeredTenant, id: string): Promise<boolean> {
    return changeAccounts(
      this.owner,
      of,
      async (session) => (await session.run(REMOVE, { tenant: of.tenantNumber, id })).length > 0,
    );
  }

  private async one(
    space: TenantReference,
    statement: Statement,
    bound: Readonly<Record<string, Bound>>,
  ): Promise<StoredUser | undefined> {
    const tenant = space.tenantNumber;
    const [row] = await this.database.run({ lane: 'search', space: space.number }, statement, {
      ...bound,
      tenant,
    });
    return row === undefined ? undefined : toUser(row);
  }
}

function toBound({ isDisabled, isAdministrator, isAuditor, ...details }: UserDetails) {
  return { ...details, disabled: isDisabled, administrator: isAdministrator, auditor: isAuditor };
}

function toUser(row: Row): StoredUser {
  const [
    id,
    name,
    display,
    isDisabled,
    release,
    fhirUser,
    patient,
    isAdministrator,
    isAuditor,
    created,
    invited,
    hasSecondFactor,
    hash,
  ] = row as [
    ...[string, string, string, boolean, ReleaseScope, string | null, string | null],
    ...[boolean, boolean, number, number | null, boolean, string],
  ];
  return {
    ...{ id, name, display, isDisabled, release, fhirUser, patient, isAdministrator, isAuditor },
    ...{ created, invited, hasSecondFactor, hash },
  };
}
