import type { Command, CommandGroup } from '../command';
import { JSON_OPTION, print } from '../output';
import { TENANT_OPTION, withTenant } from '../with-tenant';

const rotate: Command = {
  name: 'rotate',
  usage: '',
  summary: 'Create new signing keys; tokens of the old keys stay valid until they expire.',
  options: {
    ...TENANT_OPTION,
    revoke: { type: 'boolean', help: 'make all issued tokens invalid' },
    ...JSON_OPTION,
  },
  examples: [
    { line: 'andiron keys rotate --tenant acme', does: 'Sign with new keys from now on.' },
    { line: 'andiron keys rotate --tenant acme --revoke', does: 'End all tokens too, after a theft.' },
  ],
  run: (given) =>
    withTenant(given, async ({ access: { tokens } }, tenant) => {
      const ids = await tokens.rotateKeys(tenant, given.options['revoke'] === true);
      print(
        given,
        { keys: ids },
        ids.map((id) => `${id} signs from now on`),
      );
    }),
};

export const keys: CommandGroup = {
  name: 'keys',
  summary: 'Create new signing keys for the tokens of a tenant.',
  commands: [rotate],
};
