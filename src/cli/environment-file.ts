import { existsSync } from 'node:fs';
import { ConfigurationError } from '../config';
import { noteSource } from '../config/setting-sources';

const FILE = '.env';

/**
 * Reads `.env` of the working directory; variables of the environment take precedence.
 * @throws ConfigurationError if it cannot be read
 */
export function loadEnvironmentFile(): void {
  if (!existsSync(FILE)) return;
  const before = new Set(Object.keys(process.env));
  try {
    process.loadEnvFile(FILE);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new ConfigurationError([`The file ${FILE} of the working directory cannot be read: ${reason}`]);
  }
  noteSource(
    Object.keys(process.env).filter((name) => !before.has(name)),
    FILE,
  );
}
