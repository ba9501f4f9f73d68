import { access } from './access';
import { audit } from './audit';
import { client } from './client';
import type { AnyCommand, CommandGroup, Options } from './command';
import { config } from './config';
import { doctor } from './doctor';
import { importFiles } from './import';
import { importPackage } from './import-package';
import { issuer } from './issuer';
import { keys } from './keys';
import { migrate } from './migrate';
import { policy } from './policy';
import { quickstart } from './quickstart';
import { reindex } from './reindex';
import { useRunningQuickstart } from './running-quickstart';
import { serve } from './serve';
import { subscription } from './subscription';
import { tenant } from './tenant';
import { user } from './user';

const DATA_OPTION = {
  data: { type: 'string', value: 'DIR', help: 'folder of a running quick start (its --data)' },
} as const satisfies Options;

/** They work on the database of the settings, or on that of a running quick start. */
const ON_DATABASE: readonly AnyCommand[] = [
  ...[
    migrate,
    tenant,
    client,
    user,
    keys,
    issuer,
    policy,
    access,
    audit,
    subscription,
    importFiles,
    importPackage,
    reindex,
    doctor,
  ].map(withDataFolder),
];

/** All commands of `andiron`. */
export const ANDIRON: CommandGroup = {
  name: 'andiron',
  summary: 'A multi-tenant FHIR server.',
  commands: [serve, quickstart, ...ON_DATABASE, config],
};

function withDataFolder(command: AnyCommand): AnyCommand {
  if ('commands' in command) return { ...command, commands: command.commands.map(withDataFolder) };
  return {
    ...command,
    options: { ...command.options, ...DATA_OPTION },
    async run(given) {
      await useRunningQuickstart(given.options['data']);
      await command.run(given);
    },
  };
}
