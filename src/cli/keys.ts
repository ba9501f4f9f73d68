import { type Command, UsageError } from './command';
import { withApp } from './with-app';

export const keys: Command = {
  name: 'keys',
  usage: 'rotate, with --tenant NAME',
  summary:
    'Create new signing keys for the tokens of a tenant; tokens of the old keys stay valid until they expire.',
  options: {
    tenant: { type: 'string', help: 'name of the tenant' },
    revoke: { type: 'boolean', help: 'make all issued tokens invalid' },
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
