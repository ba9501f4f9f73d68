import { Client } from 'pg';
import type { Connection } from './services';

/** Works while a transaction of the test holds a lock, so that nothing of any tenant is written. */
export async function whileNothingIsWritten(settings: Connection, work: () => Promise<void>): Promise<void> {
  const owner = new Client(settings);
  await owner.connect();
  try {
    await owner.query('begin');
    await owner.query('lock table andiron.resource in exclusive mode');
    await work();
  } finally {
    await owner.end();
  }
}
