/** Invitations: links by which people set their password. Secrets come as hashes. */
import { sql } from 'kysely';
import type { TenantReference } from './client-applications';
import type { Database, DatabaseOptions } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import { endSignIns, setPassword } from './user-password';

const INVITE = defineStatement(
  template(sql`
    insert into andiron.user_invitation as i (tenant, account, hash, expires)
    select a.tenant, a.id, ${bind('hash')}::bytea, now() + ${bind('seconds')}::float8 * interval '1 second'
    from andiron.user_account a
    where a.tenant = ${bind('tenant')}::int and a.id = ${bind('id')} and not a.disabled
    on conflict (tenant, account) do update set hash = excluded.hash, expires = excluded.expires
    returning floor(extract(epoch from i.expires) * 1000)::bigint`),
  { named: false },
);
/** Valid: not expired, and of an enabled account. */
const VALID = sql`
  i.tenant = ${bind('tenant')}::int and i.hash = ${bind('hash')}::bytea and i.expires > now() and exists (
    select 1 from andiron.user_account a where a.tenant = ${bind('tenant')}::int and a.id = i.account and not a.disabled)`;
const FIND = defineStatement(
  template(sql`select i.account from andiron.user_invitation i where ${VALID} limit 1`),
);
/** The row is locked by the first of two uses; the other one then finds none. */
const USE = defineStatement(
  template(sql`delete from andiron.user_invitation i where ${VALID} returning i.account`),
  { named: false },
);

/** Stores invitations. Reads run as the application role, changes as the owner on a connection of their own. */
export class InvitationStore {
  constructor(
    private readonly database: Database,
    private readonly owner: DatabaseOptions,
  ) {}

  /** Replaces the account's invitation and returns the expiry in milliseconds since 1970. Undefined: it is not enabled. */
  async invite(
    { tenantNumber: tenant }: TenantReference,
    { id, hash, seconds }: { readonly id: string; readonly hash: Buffer; readonly seconds: number },
  ): Promise<number | undefined> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const [row] = await session.run(INVITE, { tenant, id, hash, seconds });
      return row === undefined ? undefined : Number(row[0]);
    });
  }

  /** Returns the id of the account of a valid invitation. */
  async find({ number, tenantNumber: tenant }: TenantReference, hash: Buffer): Promise<string | undefined> {
    const [row] = await this.database.run({ lane: 'search', space: number }, FIND, { tenant, hash });
    return row === undefined ? undefined : String(row[0]);
  }

  /** Sets the password of the account once, ends its sessions and revokes its grants. False: the invitation is not valid. */
  async use({ tenantNumber: tenant }: TenantReference, hash: Buffer, password: string): Promise<boolean> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const [row] = await session.run(USE, { tenant, hash });
      if (row === undefined) return false;
      const key = { tenant, id: String(row[0]) };
      await setPassword(session, key, password);
      await endSignIns(session, key);
      return true;
    });
  }
}
