/** Programs of the machine that the tests run. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '../../src/embedded/redis';

/** A program on the PATH; as root it is installed by `apt-get` where it is missing. */
export async function findOrInstall(program: string, debianPackage: string): Promise<string | undefined> {
  const present = await findProgram(program);
  if (present !== undefined) return present;
  if (process.getuid?.() === 0 && (await findProgram('apt-get')) !== undefined) {
    const run = promisify(execFile);
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await run('apt-get', ['update'], { env: environment }).catch(() => undefined);
    await run('apt-get', ['install', '-y', debianPackage], { env: environment }).catch(() => undefined);
  }
  return findProgram(program);
}

/** The machine's redis-server; as root it is installed where it is missing. */
export async function findRedisProgram(): Promise<string> {
  const found = await findOrInstall('redis-server', 'redis-server');
  if (found !== undefined) return found;
  process.stderr.write('The tests need Redis: set REDIS_HOST, or install redis-server on the PATH\n');
  process.exit(1);
}
