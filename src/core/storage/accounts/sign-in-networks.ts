/**
 * The networks from which accounts have signed in. What has expired goes when something is added, a little
 * of it at a time.
 */
import { sql } from 'kysely';
import type { OfTenant } from './client-applications';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** Of one account; the one that was used longest ago makes room. */
const MAX_NETWORKS = 20;
/** From its last sign-in on. */
const REMEMBERED_DAYS = 90;

const HAS = defineStatement(
  template(sql`
    select true from andiron.sign_in_network n
    where n.tenant = ${bind('tenant')}::int and n.hash = ${bind('hash')}::bytea and n.expires > now() limit 1`),
);
/** One that is there is written again once a day at most. */
const ADD = defineStatement(
  template(sql`
    with expired as (
      delete from andiron.sign_in_network t where t.tenant = ${bind('tenant')}::int and t.hash in (
        select o.hash from andiron.sign_in_network o
        where o.tenant = ${bind('tenant')}::int and o.expires < now() and o.hash <> ${bind('hash')}::bytea
        order by o.expires limit 100 for update skip locked)
    ), surplus as (
      delete from andiron.sign_in_network t where t.tenant = ${bind('tenant')}::int and t.hash in (
        select o.hash from andiron.sign_in_network o
        where o.tenant = ${bind('tenant')}::int and o.account = ${bind('account')} and o.hash <> ${bind('hash')}::bytea
        order by o.expires desc offset ${sql.lit(MAX_NETWORKS - 1)} limit 100 for update skip locked)
    )
    insert into andiron.sign_in_network as n (tenant, hash, account, expires)
    values (${bind('tenant')}::int, ${bind('hash')}::bytea, ${bind('account')},
      now() + ${sql.lit(REMEMBERED_DAYS)} * interval '1 day')
    on conflict (tenant, hash) do update set expires = excluded.expires
      where n.expires < excluded.expires - interval '1 day'`),
);

/** All goes as the application role. `network`: as `networkOf` gives it; it is stored as a hash together with the account. */
export class SignInNetworkStore {
  constructor(
    private readonly database: Database,
    /** Keyed, because all IPv4 addresses are soon tried. */
    private readonly digest: (text: string) => Buffer,
  ) {}

  /** Whether the account has signed in from there in the last 90 days. */
  async has({ number, tenantNumber: tenant }: OfTenant, account: string, network: string): Promise<boolean> {
    const bound = { tenant, hash: this.#hash(account, network) };
    return (await this.database.run('transaction', number, HAS, bound)).length > 0;
  }

  /** Remembers it, and forgets all but the latest 20 of the account. */
  async add({ number, tenantNumber: tenant }: OfTenant, account: string, network: string): Promise<void> {
    const bound = { tenant, account, hash: this.#hash(account, network) };
    await this.database.run('transaction', number, ADD, bound);
  }

  #hash(account: string, network: string): Buffer {
    return this.digest(`sign-in network ${account} ${network}`);
  }
}
