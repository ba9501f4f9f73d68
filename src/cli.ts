#!/usr/bin/env node
/** `andiron`: finds the command and passes it the arguments. A command is one file in cli/ and one line here. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Command, toParseOptions, UsageError } from './cli/command';
import { client } from './cli/client';
import { config } from './cli/config';
import { loadEnvironmentFile } from './cli/environment-file';
import { doctor } from './cli/doctor';
import { fail } from './cli/failure';
import { importPackage } from './cli/import-package';
import { issuer } from './cli/issuer';
import { keys } from './cli/keys';
import { migrate } from './cli/migrate';
import { policy } from './cli/policy';
import { quickstart } from './cli/quickstart';
import { reindex } from './cli/reindex';
import { PACKAGE_FOLDER } from './package-folder';
import { useRunningQuickstart } from './cli/running-quickstart';
import { serve } from './cli/serve';
import { tenant } from './cli/tenant';
import { user } from './cli/user';

/** They work on the database of the settings, or on that of a running quick start. */
const ON_DATABASE: readonly Command[] = [
  ...[migrate, tenant, client, user, keys, issuer, policy, importPackage, reindex, doctor].map(
    withDataFolder,
  ),
];
const COMMANDS: readonly Command[] = [serve, quickstart, ...ON_DATABASE, config];

function withDataFolder(command: Command): Command {
  const data = { type: 'string', help: 'folder of a running quick start (its --data)' } as const;
  return {
    ...command,
    options: { ...command.options, data },
    async run(given) {
      await useRunningQuickstart(given.options['data']);
      await command.run(given);
    },
  };
}

/** The version of the package. */
function readVersion(): string {
  const text = readFileSync(path.join(PACKAGE_FOLDER, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}

function helpOf(command: Command): string {
  const options = Object.entries(command.options ?? {});
  const lines = options.map(([name, { help }]) => `  --${name.padEnd(13)} ${help}\n`);
  return `andiron ${command.name} ${command.usage}\n  ${command.summary}\n${lines.join('')}`;
}

function helpOfAll(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `andiron COMMAND\n\n${lines.join('')}\nandiron COMMAND --help explains a command, andiron --version names this version. Settings come from the environment and\n.env; without a database in them, commands find a running quick start.\n`;
}

async function run(written: readonly string[]): Promise<void> {
  const [name, ...rest] = written;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(helpOfAll());
    return;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`andiron ${readVersion()}\n`);
    return;
  }
  const command = COMMANDS.find((each) => each.name === name);
  if (command === undefined) throw new UsageError(`'${name}' is not a command; andiron --help lists them`);
  const { values, positionals } = parseArgs({
    args: rest,
    options: { ...toParseOptions(command), help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values['help'] === true) {
    process.stdout.write(helpOf(command));
    return;
  }
  await command.run({
    words: positionals,
    options: values,
  });
}

// `andiron config | head`: the reader may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
loadEnvironmentFile();
run(process.argv.slice(2)).catch(fail);
