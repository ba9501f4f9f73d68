import { runHere } from './command-here';
import { toEnvironment } from './environment';
import type { DatabaseAddress } from './template';

/** Returns the output of a command of `andiron` that works on `database`. Throws Error with the output of a failure. */
export async function andiron(
  database: Pick<DatabaseAddress, 'environment'>,
  ...words: readonly string[]
): Promise<string> {
  const { code, output, errors } = await runHere(words, { environment: toEnvironment(database) });
  if (code !== 0) throw new Error(errors);
  return output;
}
