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
 * PostgreSQL refuses to run as root: then it runs as `postgres` where there is such an account, else as `nobody`.
 * Undefined when we are not root, so that it runs as ourselves.
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
