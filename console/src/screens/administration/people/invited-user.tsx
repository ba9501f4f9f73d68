/** A new account whose person gets a link to set the password. */
import {
  createUser,
  inviteUser,
  type Invitation,
  type NewUser,
  type User,
} from '../../../api/administration';
import { InvitationLink, Invite } from './invitation';

export interface InvitedUser {
  readonly user: User;
  /** Undefined: it could not be made, and is made in the next step. */
  readonly invitation: Invitation | undefined;
}

/** Makes the account and its link, which is sent to the address, if there is one. */
export async function createInvited(tenant: string, account: NewUser, email: string): Promise<InvitedUser> {
  const user = await createUser(tenant, account);
  // The account is there, also where this fails.
  return { user, invitation: await inviteUser(tenant, user.id, email).catch(() => undefined) };
}

/** The link of a new account, or the way to it. */
export function Invited({ tenant, user, invitation }: InvitedUser & { readonly tenant: string }) {
  if (invitation === undefined) return <Invite tenant={tenant} user={user} />;
  return <InvitationLink invitation={invitation} />;
}
