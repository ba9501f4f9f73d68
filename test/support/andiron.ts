/** Commands of `andiron` in the process of the tests, where the program is loaded: a process for each takes 1.5 s. */
import { ANDIRON } from '../../src/cli/commands';
import { findCommand, parseCommand } from '../../src/cli/parse';
import { toEnvironment } from './environment';
import type { DatabaseAddress } from './template';

/** What a command prints. Throws the error of which `andiron` prints the message. One command runs at a time. */
export async function andiron(
  database: Pick<DatabaseAddress, 'environment'>,
  ...words: readonly string[]
): Promise<string> {
  const { path, command, rest } = findCommand(ANDIRON, words);
  if ('commands' in command) throw new Error(`${path} has commands`);
  const before = process.env;
  const { write } = process.stdout;
  const printed: string[] = [];
  process.env = { ...before, ...toEnvironment(database) };
  process.stdout.write = (text) => {
    printed.push(String(text));
    return true;
  };
  try {
    await command.run(parseCommand(path, command, rest));
  } finally {
    process.env = before;
    process.stdout.write = write;
  }
  return printed.join('');
}
