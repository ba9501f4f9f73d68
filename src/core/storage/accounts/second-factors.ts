/** Second factors of accounts. Everything runs as the owner: the application role does not read their secrets. */
import { sql } from 'kysely';
import type { TenantReference } from './client-applications';
import type { DatabaseOptions } from '../connection/database';
import { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';
import { endSignIns } from './user-password';

/** A second factor to be. */
export interface NewSecondFactor {
  /** Hash of the password that the person has proved; another one now has made it worthless. */
  readonly proved: string;
  /** In place of the hash of the password in the account (migrations/0050-invitations.ts). */
  readonly placeholder: string;
  readonly secret: Buffer;
  /** The step of the code that the person has proved it with, which is used then. */
  readonly step: number;
  /** Hashes of the recovery codes. */
  readonly recovery: readonly Buffer[];
  /** True: it replaces another one, with which the person has signed in. */
  readonly isReplacement: boolean;
}

const READ = defineStatement(
  template(sql`
    select f.secret from andiron.second_factor f
    where f.tenant = ${bind('tenant')}::int and f.account = ${bind('id')} limit 1 for update of f`),
  { named: false },
);
/** Each step once, and none before one that was used. */
const USE_STEP = defineStatement(
  template(sql`
    update andiron.second_factor f set last_step = ${bind('step')}::bigint
    where f.tenant = ${bind('tenant')}::int and f.account = ${bind('id')} and f.last_step < ${bind('step')}::bigint
    returning f.account`),
  { named: false },
);
const USE_RECOVERY = defineStatement(
  template(sql`
    update andiron.second_factor f set recovery = array_remove(f.recovery, ${bind('code')}::bytea)
    where f.tenant = ${bind('tenant')}::int and f.account = ${bind('id')} and ${bind('code')}::bytea = any (f.recovery)
    returning f.account`),
  { named: false },
);
/** The hash of the password of an enabled account, locked, and whether it has a second factor. */
const LOCK = defineStatement(
  template(sql`
    select case when a.hash = f.placeholder then f.hash else a.hash end, f.account is not null
    from andiron.user_account a
    left join andiron.second_factor f on f.tenant = ${bind('tenant')}::int and f.account = a.id
    where a.tenant = ${bind('tenant')}::int and a.id = ${bind('id')} and not a.disabled limit 1 for update of a`),
  { named: false },
);
const PUT = defineStatement(
  template(sql`
    insert into andiron.second_factor as f (tenant, account, hash, placeholder, secret, last_step, recovery)
    values (${bind('tenant')}::int, ${bind('id')}, ${bind('proved')}, ${bind('placeholder')}, ${bind('secret')}::bytea,
      ${bind('step')}::bigint, ${bind('recovery')}::text[]::bytea[])
    on conflict (tenant, account) do update set hash = excluded.hash, placeholder = excluded.placeholder,
      secret = excluded.secret, last_step = excluded.last_step, recovery = excluded.recovery, created = excluded.created
    returning f.account`),
  { named: false },
);
const HOLD_PLACE = defineStatement(
  template(sql`
    update andiron.user_account a set hash = ${bind('placeholder')}
    where a.tenant = ${bind('tenant')}::int and a.id = ${bind('id')} returning a.id`),
  { named: false },
);
const REMOVE = defineStatement(
  template(sql`
    delete from andiron.second_factor f where f.tenant = ${bind('tenant')}::int and f.account = ${bind('id')}
    returning f.hash, f.placeholder`),
  { named: false },
);
/** A program without second factors may have set another password meanwhile. */
const PUT_BACK = defineStatement(
  template(sql`
    update andiron.user_account a set hash = ${bind('hash')}
    where a.tenant = ${bind('tenant')}::int and a.id = ${bind('id')} and a.hash = ${bind('placeholder')} returning a.id`),
  { named: false },
);

export class SecondFactorStore {
  constructor(private readonly owner: DatabaseOptions) {}

  /**
   * Uses a code of the app once. `stepOf`: the step of the code for a secret; undefined: it is wrong. False: it is wrong, was used, or
   * there is no second factor. **Cost**: a connection.
   */
  async useCode(
    { tenantNumber: tenant }: TenantReference,
    id: string,
    stepOf: (secret: Buffer) => number | undefined,
  ): Promise<boolean> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const [row] = await session.run(READ, { tenant, id });
      const step = row === undefined ? undefined : stepOf(row[0] as Buffer);
      return step !== undefined && (await session.run(USE_STEP, { tenant, id, step })).length > 0;
    });
  }

  /** Uses a recovery code, by its hash. False: the account does not have it, or not any more. **Cost**: a connection. */
  async useRecoveryCode(
    { tenantNumber: tenant }: TenantReference,
    id: string,
    code: Buffer,
  ): Promise<boolean> {
    return OwnerSession.inTransaction(
      this.owner,
      async (session) => (await session.run(USE_RECOVERY, { tenant, id, code })).length > 0,
    );
  }

  /**
   * Also ends all sign-ins of the account: they have not proved this second factor. False: the password is another one now, the
   * account is disabled, or it got a second factor meanwhile.
   */
  async put(
    { tenantNumber: tenant }: TenantReference,
    id: string,
    { proved, isReplacement, placeholder, secret, step, recovery }: NewSecondFactor,
  ): Promise<boolean> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const [row] = await session.run(LOCK, { tenant, id });
      if (row === undefined || row[0] !== proved || (row[1] === true && !isReplacement)) return false;
      // The form in which PostgreSQL reads bytes from a text.
      const hashes = recovery.map((hash) => `\\x${hash.toString('hex')}`);
      await session.run(PUT, { tenant, id, proved, placeholder, secret, step, recovery: hashes });
      await session.run(HOLD_PLACE, { tenant, id, placeholder });
      await endSignIns(session, { tenant, id });
      return true;
    });
  }

  /** Leaves the account its password. False: it has no second factor. */
  async remove({ tenantNumber: tenant }: TenantReference, id: string): Promise<boolean> {
    return OwnerSession.inTransaction(this.owner, async (session) => {
      const [row] = await session.run(REMOVE, { tenant, id });
      if (row === undefined) return false;
      await session.run(PUT_BACK, { tenant, id, hash: String(row[0]), placeholder: String(row[1]) });
      return true;
    });
  }
}
