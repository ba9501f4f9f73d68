import { existsSync } from 'node:fs';

/** Reads `.env` of the working directory; variables of the environment take precedence. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}
