import { VERSION } from '../core/version';
import { UsageError } from './command';
import { ANDIRON } from './commands';
import { loadEnvironmentFile } from './environment-file';
import { helpOf, helpOfAll } from './help';
import { findCommand, parseCommand } from './parse';

/**
 * Runs the command line `andiron …written`.
 * @throws UsageError when it is wrong, and what the command throws
 */
export async function run(written: readonly string[]): Promise<void> {
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
