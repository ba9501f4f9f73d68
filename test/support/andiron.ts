import { runHere } from './command-here';
import { toEnvironment } from './environment';
import type { DatabaseAddress } from './template';

/** What a command of `andiron` prints that works on `database`. Throws Error with what it says of a failure. */
export async function andiron(
  database: Pick<DatabaseAddress, 'environment'>,
  ...words: readonly string[]
): Promise<string> {
  const { code, output, errors } = await runHere(words, { environment: toEnvironment(database) });
  if (code !== 0) throw new Error(errors);
  return output;
}
