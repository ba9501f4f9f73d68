/** The administrators of a tenant: a change must not remove the last one (docs/run/own-administration.md). */
import { sql } from 'kysely';
import type { Space } from '../../context';
import { fhirError } from '../../errors';
import type { DatabaseOptions, Row } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

/** A tenant whose accounts an administrator changes. */
export interface AdministeredTenant extends Pick<Space, 'number' | 'tenantNumber'> {
  /** True: a change must not remove its last administrator. */
  readonly keepsAdministrator: boolean;
}

/** Puts changes of the accounts of a tenant in an order: none begins with what another is about to change. */
const LOCK = defineStatement(
  template(sql`
    select t.number from andiron.tenant t
    where t.number = ${bind('tenant')}::int limit 1 for no key update`),
  { named: false },
);

/** Somebody who has not used a link yet may have no password. */
const HAS_USED_ITS_LINK = sql`not exists (
  select 1 from andiron.user_invitation i where i.tenant = ${bind('tenant')}::int and i.account = a.id)`;

/** An enabled client that can prove what it is, or an enabled account, where an enabled client lets people sign in as administrators. */
const hasAdministrator = (person: typeof HAS_USED_ITS_LINK) => sql`
  exists (
    select 1 from andiron.client_application c
    where c.tenant = ${bind('tenant')}::int and c.administrator and not c.disabled and (
      c.jwks is not null or c.jwks_url is not null
      or exists (
        select 1 from andiron.client_secret s
        where s.tenant = ${bind('tenant')}::int and s.client = c.id and (s.expires is null or s.expires > now()))
      or exists (select 1 from andiron.token_issuer i where i.tenant = ${bind('tenant')}::int and i.client = c.id))
  ) or (exists (
    select 1 from andiron.user_account a
    where a.tenant = ${bind('tenant')}::int and a.administrator and not a.disabled and ${person}
  ) and (not exists (
    select 1 from andiron.client_application c
    where c.tenant = ${bind('tenant')}::int and c.id = ${bind('console')} and c.disabled
  ) or exists (
    select 1 from andiron.client_application c
    where c.tenant = ${bind('tenant')}::int and not c.disabled and ${bind('scope')} = any (c.scopes)
      and c.redirect_uris <> '{}')))`;

/**
 * Two answers: somebody can administer the tenant surely, and perhaps, counting people with a link that they have not used.
 * The console lets people sign in unless its row says that it is disabled.
 */
const HAS_ADMINISTRATOR = defineStatement(
  template(sql`select ${hasAdministrator(HAS_USED_ITS_LINK)}, ${hasAdministrator(sql`true`)} limit 1`),
  { named: false },
);

/** What people need to be administrators: the client that every tenant has, and the scope of other ones. */
const WAYS = { console: 'andiron-console', scope: 'administration' };

/**
 * Runs `work` in a transaction of the owner, one after the other for a tenant, so that what `work` reads stays as it is.
 * **Throws** `lastAdministrator`, with everything rolled back, where the tenant keeps an administrator, had one and would
 * have none. **Cost**: a statement more; three for a tenant that keeps an administrator.
 */
export async function changeAccounts<T>(
  owner: DatabaseOptions,
  { tenantNumber: tenant, keepsAdministrator }: AdministeredTenant,
  work: (session: OwnerSession) => Promise<T>,
): Promise<T> {
  return OwnerSession.inTransaction(owner, async (session) => {
    await session.run(LOCK, { tenant });
    if (!keepsAdministrator) return work(session);
    const has = async (): Promise<Row> =>
      (await session.run(HAS_ADMINISTRATOR, { tenant, ...WAYS }))[0] ?? [];
    const before = await has();
    const result = await work(session);
    const after = await has();
    if (before.some((had, index) => had === true && after[index] !== true))
      throw fhirError('lastAdministrator');
    return result;
  });
}
