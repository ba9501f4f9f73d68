#!/usr/bin/env node
/** `andiron`: finds the command and passes it the arguments. A command is one file in cli/ and one line in cli/commands.ts. */
import { UsageError } from './cli/command';
import { ANDIRON } from './cli/commands';
import { loadEnvironmentFile } from './cli/environment-file';
import { fail } from './cli/failure';
import { helpOf, helpOfAll } from './cli/help';
import { findCommand, parseCommand } from './cli/parse';
import { VERSION } from './core/conformance/version';

async function run(written: readonly string[]): Promise<void> {
  const [first] = written;
  if (first === '--version' || first === '-v') {
    process.stdout.write(`andiron ${VERSION}\n`);
    return;
  }
  const { path: words, command, rest, wantsHelp } = findCommand(ANDIRON, written);
  if (command === ANDIRON) {
    process.stdout.write(helpOfAll(ANDIRON));
    return;
  }
  if (wantsHelp) {
    process.stdout.write(helpOf(words, command));
    return;
  }
  if ('commands' in command) {
    const names = command.commands.map(({ name }) => name).join(', ');
    throw new UsageError(`A command of ${words} is missing: ${names}. See ${words} --help`);
  }
  const given = parseCommand(words, command, rest);
  loadEnvironmentFile();
  await command.run(given);
}

// `andiron config | head`: the reader may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
run(process.argv.slice(2)).catch(fail);
