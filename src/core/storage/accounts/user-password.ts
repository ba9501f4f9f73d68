/** A new password of an account, which ends what the old one has begun (docs/run/access.md, People). */
import { sql } from 'kysely';
import type { OwnerSession } from '../connection/owner-session';
import { bind, defineStatement, template } from '../connection/statement';

/** With a second factor the hash of the password is there, and the account has a placeholder (migrations/0050-invitations.ts). */
const SET_BESIDE_FACTOR = defineStatement(
  template(sql`
    update andiron.second_factor f set hash = ${bind('hash')}
    where f.tenant = ${bind('tenant')}::int and f.account = ${bind('id')} returning f.placeholder`),
  { named: false },
);
const SET = defineStatement(
  template(sql`
    update andiron.user_account a set hash = ${bind('hash')}
    where a.tenant = ${bind('tenant')}::int and a.id = ${bind('id')} returning a.id`),
  { named: false },
);
const END_INVITATION = defineStatement(
  template(sql`
    delete from andiron.user_invitation where tenant = ${bind('tenant')}::int and account = ${bind('id')} returning account`),
  { named: false },
);
const END_SESSIONS = defineStatement(
  template(sql`
    delete from andiron.user_session where tenant = ${bind('tenant')}::int and account = ${bind('id')}`),
  { named: false },
);
const REVOKE_GRANTS = defineStatement(
  template(sql`
    update andiron.user_grant set revoked = true
    where tenant = ${bind('tenant')}::int and account = ${bind('id')} and not revoked`),
  { named: false },
);

/** An account within its tenant. */
export interface AccountKey {
  readonly tenant: number;
  readonly id: string;
}

/** Sets the hash of a password, and ends the invitation of the account. The second factor stays. */
export async function setPassword(session: OwnerSession, key: AccountKey, hash: string): Promise<void> {
  const [factor] = await session.run(SET_BESIDE_FACTOR, { ...key, hash });
  await session.run(SET, { ...key, hash: factor === undefined ? hash : String(factor[0]) });
  await endInvitation(session, key);
}

export async function endInvitation(session: OwnerSession, key: AccountKey): Promise<void> {
  await session.run(END_INVITATION, { ...key });
}

/** Ends all sessions of an account, and revokes its grants. */
export async function endSignIns(session: OwnerSession, key: AccountKey): Promise<void> {
  for (const statement of [END_SESSIONS, REVOKE_GRANTS]) await session.run(statement, { ...key });
}
