import { existsSync } from 'node:fs';

/** Reads `.env` of the working directory; what the environment says already wins. */
export function loadEnvironmentFile(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}
