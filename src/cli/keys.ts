import { type Command, UsageError } from './command';
import { withApp } from './with-app';

export const keys: Command = {
  name: 'keys',
  usage: 'rotate, with --tenant NAME',
  summary:
    'Sign the tokens of a tenant with new keys from now on; what was signed before stays good until it expires.',
  options: {
    tenant: { type: 'string', help: 'whose keys' },
    revoke: { type: 'boolean', help: 'all tokens that were given out are good no more' },
  },
  async run({ words, options }) {
    const { tenant, revoke } = options;
    if (words.join(' ') !== 'rotate' || typeof tenant !== 'string')
      throw new UsageError(`andiron keys ${keys.usage}`);
    await withApp(async ({ core }) => {
      for (const id of await core.tokens.rotateKeys(tenant, revoke === true))
        process.stdout.write(`${id} signs from now on\n`);
    });
  },
};
