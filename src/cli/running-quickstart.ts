import path from 'node:path';
import { findRunning } from '../embedded/running';
import { noteSource, QUICK_START } from '../config/setting-sources';

let address: string | undefined;

/** The address of the quick start on whose database the command works; undefined: the settings name a database. */
export function quickstartAddress(): string | undefined {
  return address;
}

/**
 * Lets a command work on the database of a running quick start: that of the folder `data`, or, where no database is set, the newest
 * one of this user. Settings of the environment take precedence over it.
 */
export async function useRunningQuickstart(data: string | boolean | undefined): Promise<void> {
  address = undefined;
  const isSet = (process.env['FHIR_DATABASE_HOST'] ?? '') !== '';
  if (data === undefined && isSet) return;
  const running = await findRunning(typeof data === 'string' ? data : undefined);
  if (running === undefined) {
    if (typeof data !== 'string') return;
    const folder = path.resolve(data);
    throw new Error(
      `No quick start runs on ${folder}; start it: npx --no-install andiron quickstart --data ${folder}`,
    );
  }
  ({ address } = running);
  Object.assign(process.env, running.environment);
  noteSource(Object.keys(running.environment), QUICK_START);
  process.stderr.write(`Using the quick start at ${running.address}\n`);
}
