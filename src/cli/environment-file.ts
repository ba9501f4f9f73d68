import { existsSync } from 'node:fs';
import { ConfigurationError } from '../config';
import { ENVIRONMENT_FILE, noteSource } from '../config/setting-sources';

/**
 * Reads `.env` of the working directory; variables of the environment take precedence.
 * @throws ConfigurationError if it cannot be read
 */
export function loadEnvironmentFile(): void {
  if (!existsSync(ENVIRONMENT_FILE)) return;
  const before = new Set(Object.keys(process.env));
  try {
    process.loadEnvFile(ENVIRONMENT_FILE);
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown';
    throw new ConfigurationError([
      `The file ${ENVIRONMENT_FILE} of the working directory cannot be read: ${reason}`,
    ]);
  }
  noteSource(
    Object.keys(process.env).filter((name) => !before.has(name)),
    ENVIRONMENT_FILE,
  );
}
