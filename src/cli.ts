#!/usr/bin/env node
/** `andiron`: finds the command and passes it the arguments. A command is one file in cli/ and one line here. */
import { parseArgs } from 'node:util';
import { type Command, toParseOptions, UsageError } from './cli/command';
import { client } from './cli/client';
import { config } from './cli/config';
import { loadEnvironmentFile } from './cli/environment-file';
import { fail } from './cli/failure';
import { importPackage } from './cli/import-package';
import { issuer } from './cli/issuer';
import { keys } from './cli/keys';
import { migrate } from './cli/migrate';
import { policy } from './cli/policy';
import { quickstart } from './cli/quickstart';
import { reindex } from './cli/reindex';
import { serve } from './cli/serve';
import { tenant } from './cli/tenant';
import { user } from './cli/user';

const COMMANDS: readonly Command[] = [
  serve,
  quickstart,
  migrate,
  tenant,
  client,
  user,
  keys,
  issuer,
  policy,
  importPackage,
  reindex,
  config,
];

function helpOf(command: Command): string {
  const options = Object.entries(command.options ?? {});
  const lines = options.map(([name, { help }]) => `  --${name.padEnd(13)} ${help}\n`);
  return `andiron ${command.name} ${command.usage}\n  ${command.summary}\n${lines.join('')}`;
}

function helpOfAll(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}\n`);
  return `andiron COMMAND\n\n${lines.join('')}\nandiron COMMAND --help explains a command. Settings come from the environment and .env.\n`;
}

async function run(written: readonly string[]): Promise<void> {
  const [name, ...rest] = written;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(helpOfAll());
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
