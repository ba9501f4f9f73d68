import type { Client } from 'pg';
import { APPLICATION_ROLE } from '../../../src/core/storage/connection/database';

/** Runs SQL and returns its rows. */
export type RunText = (text: string) => Promise<readonly Record<string, unknown>[]>;

/** Work of the application role, with these settings, on the superuser's connection; undone afterwards. */
export async function asApplicationRole<Result>(
  owner: Client,
  settings: Readonly<Record<string, number>>,
  work: (run: RunText) => Promise<Result>,
): Promise<Result> {
  await owner.query('begin');
  try {
    await owner.query(`set local role ${APPLICATION_ROLE}`);
    for (const [name, value] of Object.entries(settings))
      await owner.query('select set_config($1, $2, true)', [name, String(value)]);
    return await work(async (text) => (await owner.query<Record<string, unknown>>(text)).rows);
  } finally {
    await owner.query('rollback');
  }
}
