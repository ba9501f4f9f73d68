/** Invitations made by command, which know the address of the server from its settings alone. */
import { loadSettings } from '../config';
import { ownAddresses } from '../config/exposure';
import type { Core } from '../core';
import { toInstant } from './output';

/** The first address of the server. Throws where only the host of a request tells it. */
export function ownAddress(): string {
  const [address] = ownAddresses(loadSettings(process.env));
  if (address === undefined)
    throw new Error('Set PUBLIC_URL: an invitation needs the address at which people reach the server');
  return address;
}

export async function inviteUser(
  users: Core['tenants']['users'],
  tenant: string,
  account: { readonly id: string; readonly base: string },
): Promise<{ readonly link: string; readonly expires: string }> {
  const invitation = await users.invite(tenant, account);
  if (invitation === undefined) throw new Error(`There is no user '${account.id}'`);
  return { link: invitation.link, expires: toInstant(invitation.expires) };
}
