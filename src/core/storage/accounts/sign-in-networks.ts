/** The networks from which accounts have signed in. Each insertion deletes some expired rows. */
import { sql } from 'kysely';
import type { TenantReference } from './client-applications';
import type { Database } from '../connection/database';
import { bind, defineStatement, template } from '../connection/statement';

/** Networks of one account; beyond it the least recently used one is deleted. */
const MAX_NETWORKS = 20;
/** Days for which a network is stored after its last sign-in. */
const EXPIRY_DAYS = 90;

const HAS = defineStatement(
  template(sql`
    select true from andiron.sign_in_network n
    where n.tenant = ${bind('tenant')}::int and n.hash = ${bind('hash')}::bytea and n.expires > now() limit 1`),
);
/** Renews an existing row at most once a day. */
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
      now() + ${sql.lit(EXPIRY_DAYS)} * interval '1 day')
    on conflict (tenant, hash) do update set expires = excluded.expires
      where n.expires < excluded.expires - interval '1 day'`),
);

/** Stores networks as the application role. `network`: a result of `networkOf`; its hash includes the account. */
export class SignInNetworkStore {
  constructor(
    private readonly database: Database,
    /** A keyed hash, because all IPv4 addresses can be tried. */
    private readonly digest: (text: string) => Buffer,
  ) {}

  /** True if the account has signed in from the network in the last 90 days. */
  async has(
    { number, tenantNumber: tenant }: TenantReference,
    account: string,
    network: string,
  ): Promise<boolean> {
    const bound = { tenant, hash: this.#hash(account, network) };
    return (await this.database.run({ lane: 'transaction', space: number }, HAS, bound)).length > 0;
  }

  /** Adds or renews a network, and deletes all but the latest 20 of the account. */
  async add(
    { number, tenantNumber: tenant }: TenantReference,
    account: string,
    network: string,
  ): Promise<void> {
    const bound = { tenant, account, hash: this.#hash(account, network) };
    await this.database.run({ lane: 'transaction', space: number }, ADD, bound);
  }

  #hash(account: string, network: string): Buffer {
    return this.digest(`sign-in network ${account} ${network}`);
  }
}
