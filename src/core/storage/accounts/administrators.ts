/** The administrators of a tenant: a change must not remove the last one (docs/run/own-administration.md). */
import { sql } from 'kysely';
import type { Space } from '../../context';
import { fhirError } from '../../errors';
import type { DatabaseOptions } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

/** A tenant whose accounts an administrator changes. */
export interface AdministeredTenant extends Pick<Space, 'number' | 'tenantNumber'> {
  /** True: a change must not remove its last administrator. */
  readonly keepsAdministrator: boolean;
}

/** Puts changes of the administrators of a tenant in an order, so that two cannot remove each other at once. */
const LOCK = defineStatement(
  template(sql`
    select t.number from andiron.tenant t
    where t.number = ${bind('tenant')}::int limit 1 for no key update`),
  { named: false },
);

/**
 * True where somebody can administer the tenant: an enabled client that can prove what it is, or an enabled account, where
 * an enabled client lets people sign in as administrators. The console is one unless its row says that it is disabled.
 */
const HAS_ADMINISTRATOR = defineStatement(
  template(sql`
    select exists (
      select 1 from andiron.client_application c
      where c.tenant = ${bind('tenant')}::int and c.administrator and not c.disabled and (
        c.jwks is not null or c.jwks_url is not null
        or exists (
          select 1 from andiron.client_secret s
          where s.tenant = c.tenant and s.client = c.id and (s.expires is null or s.expires > now()))
        or exists (select 1 from andiron.token_issuer i where i.tenant = c.tenant and i.client = c.id))
    ) or (exists (
      select 1 from andiron.user_account a
      where a.tenant = ${bind('tenant')}::int and a.administrator and not a.disabled
    ) and (not exists (
      select 1 from andiron.client_application c
      where c.tenant = ${bind('tenant')}::int and c.id = ${bind('console')} and c.disabled
    ) or exists (
      select 1 from andiron.client_application c
      where c.tenant = ${bind('tenant')}::int and not c.disabled and ${bind('scope')} = any (c.scopes)
        and c.redirect_uris <> '{}')))
    limit 1`),
  { named: false },
);

/** What people need to be administrators: the client that every tenant has, and the scope of other ones. */
const WAYS = { console: 'andiron-console', scope: 'administration' };

/**
 * Runs `work` in a transaction of the owner. **Throws** `lastAdministrator`, with everything rolled back, where the tenant
 * keeps an administrator, had one and would have none. **Cost**: three statements more for such a tenant.
 */
export async function changeAccounts<T>(
  owner: DatabaseOptions,
  { tenantNumber: tenant, keepsAdministrator }: AdministeredTenant,
  work: (session: OwnerSession) => Promise<T>,
): Promise<T> {
  return OwnerSession.inTransaction(owner, async (session) => {
    if (!keepsAdministrator) return work(session);
    await session.run(LOCK, { tenant });
    const hasOne = async (): Promise<boolean> => {
      const [row] = await session.run(HAS_ADMINISTRATOR, { tenant, ...WAYS });
      return row?.[0] === true;
    };
    const had = await hasOne();
    const result = await work(session);
    if (had && !(await hasOne())) throw fhirError('lastAdministrator');
    return result;
  });
}
