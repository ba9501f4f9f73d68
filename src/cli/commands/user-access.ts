/** Help for people who cannot sign in, or not yet: invitations, and the removal of a second factor. */
import { loadSettings } from '../../config';
import { ownAddresses } from '../../config/exposure';
import type { Core, Invitation } from '../../core';
import type { Command } from '../command';
import { textOf } from '../option-values';
import { JSON_OPTION, print, toInstant } from '../output';
import { absent, TENANT_OPTION, withTenant } from '../with-tenant';

/** The first address of the server. Throws where only the host of a request tells it. */
export function ownAddress(): string {
  const [address] = ownAddresses(loadSettings(process.env));
  if (address === undefined)
    throw new Error('Set PUBLIC_URL: an invitation needs the address at which people reach the server');
  return address;
}

type ShownInvitation = Omit<Invitation, 'expires'> & { readonly expires: string };

export function toLines({ link, expires, problem }: ShownInvitation): readonly string[] {
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  return [...(link === undefined ? [] : [`link=${link}`]), `expires=${expires}`];
}

export async function inviteUser(
  users: Core['tenants']['users'],
  tenant: string,
  account: Parameters<Core['tenants']['users']['invite']>[1],
): Promise<ShownInvitation> {
  const invitation = await users.invite(tenant, account);
  if (invitation === undefined) throw absent('user', account.id, await users.list(tenant));
  return { ...invitation, expires: toInstant(invitation.expires) };
}

export const invite: Command = {
  name: 'invite',
  usage: 'USER_ID',
  summary:
    'Make a link by which the person sets the password, once within a day; the present password is valid until then.',
  options: {
    ...TENANT_OPTION,
    email: { type: 'string', value: 'ADDRESS', help: 'send the link by mail in place of printing it' },
    ...JSON_OPTION,
  },
  examples: [
    { line: 'andiron user invite USER_ID --tenant acme', does: 'Print the link, which is shown once.' },
  ],
  run: async (given) => {
    const base = ownAddress();
    await withTenant(given, async ({ tenants: { users } }, tenant) => {
      const [id = ''] = given.words;
      const email = textOf(given.options['email']);
      const made = await inviteUser(users, tenant, { id, base, email });
      print(given, made, toLines(made));
    });
  },
};

export const removeSecondFactor: Command = {
  name: 'remove-second-factor',
  usage: 'USER_ID',
  summary: 'Remove the second factor of an account, whose app is lost; the password stays.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [
    {
      line: 'andiron user remove-second-factor USER_ID --tenant acme',
      does: 'Let the person sign in with the password alone, or set up another one.',
    },
  ],
  run: (given) =>
    withTenant(given, async ({ tenants: { users } }, tenant) => {
      const [id = ''] = given.words;
      if (!(await users.removeSecondFactor(tenant, id)))
        throw new Error(`The user '${id}' does not exist, or has no second factor`);
      print(given, { removed: id }, [`Removed the second factor of user ${id}`]);
    }),
};
