import { toSecretDocument, toSecretLines } from '../client-text';
import { type Arguments, type Command, type CommandGroup, UsageError } from '../command';
import { JSON_OPTION, print } from '../output';
import { absent, TENANT_OPTION, withTenant } from '../with-tenant';

const DAY_MS = 86_400_000;

/** Milliseconds since 1970; undefined: never. Throws UsageError. */
export function toExpiry({ days }: Arguments['options']): number | undefined {
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(String(days)))
    throw new UsageError('--days must be a whole number from 1 to 99999');
  return days === undefined ? undefined : Date.now() + Number(days) * DAY_MS;
}

const add: Command = {
  name: 'add',
  usage: 'CLIENT_ID',
  summary: 'Add a secret to a client, which is shown once; a client has up to 10.',
  options: {
    ...TENANT_OPTION,
    days: { type: 'string', value: 'N', help: 'days until the secret expires; default never' },
    ...JSON_OPTION,
  },
  examples: [
    {
      line: 'andiron client secret add CLIENT_ID --tenant acme --days 90',
      does: 'Add a secret that replaces another one without downtime.',
    },
  ],
  run: async (given) => {
    const [id = ''] = given.words;
    const expires = toExpiry(given.options);
    await withTenant(given, async ({ tenants: { clients } }, tenant) => {
      const made = await clients.addSecret(tenant, id, expires);
      if (made === undefined) throw absent('client', id, await clients.list(tenant));
      print(given, toSecretDocument(made), toSecretLines(made));
      process.stderr.write('The secret is not shown again\n');
    });
  },
};

const remove: Command = {
  name: 'remove',
  usage: 'CLIENT_ID SECRET_ID',
  summary: 'Remove a secret of a client.',
  options: { ...TENANT_OPTION, ...JSON_OPTION },
  examples: [
    {
      line: 'andiron client secret remove CLIENT_ID SECRET_ID --tenant acme',
      does: 'Remove a secret by the id that client list shows.',
    },
  ],
  run: (given) =>
    withTenant(given, async ({ tenants: { clients } }, tenant) => {
      const [id = '', secret = ''] = given.words;
      if (!(await clients.removeSecret(tenant, id, secret)))
        throw new Error(`The client '${id}' has no secret '${secret}'`);
      print(given, { removed: secret }, [`Removed secret ${secret}`]);
    }),
};

export const clientSecret: CommandGroup = {
  name: 'secret',
  summary: 'Add or remove secrets of a client.',
  commands: [add, remove],
};
