import { access } from './commands/access';
import { audit } from './commands/audit';
import { client } from './commands/client';
import type { AnyCommand, CommandGroup, Options } from './command';
import { config } from './commands/config';
import { distribute } from './commands/distribute';
import { doctor } from './commands/doctor';
import { importFiles } from './commands/import';
import { importTerminology } from './commands/import-terminology';
import { importPackage } from './commands/import-package';
import { issuer } from './commands/issuer';
import { keys } from './commands/keys';
import { migrate } from './commands/migrate';
import { nodes } from './commands/nodes';
import { policy } from './commands/policy';
import { quickstart } from './commands/quickstart';
import { reindex } from './commands/reindex';
import { useRunningQuickstart } from './running-quickstart';
import { serve } from './commands/serve';
import { subscription } from './commands/subscription';
import { tenant } from './commands/tenant';
import { user } from './commands/user';

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
    importTerminology,
    reindex,
    distribute,
    nodes,
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
