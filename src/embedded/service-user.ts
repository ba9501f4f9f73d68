import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** The account that PostgreSQL runs under. */
export interface ServiceUser {
  readonly uid: number;
  readonly gid: number;
}

async function findId(flag: '-u' | '-g', name: string): Promise<number | undefined> {
  try {
    const { stdout } = await promisify(execFile)('id', [flag, name]);
    return Number(stdout.trim());
  } catch {
    return undefined;
  }
}

/**
 * Returns the account for PostgreSQL, which refuses to run as root: `postgres` where this account exists, else
 * `nobody`.
 * Undefined when this process does not run as root; PostgreSQL then runs under the same account.
 */
export async function findServiceUser(): Promise<ServiceUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const uid = await findId('-u', name);
    const gid = await findId('-g', name);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { uid, gid };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no account postgres or nobody; use another account',
  );
}
