/** compose.yaml, as Debian's docker-compose reads it, which needs no container engine for that. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/deployment-files';
import { findOrInstall } from '../support/programs';

const PASSWORDS = ['POSTGRES_PASSWORD', 'ANDIRON_DATABASE_PASSWORD', 'ANDIRON_REDIS_PASSWORD'];
const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-compose-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The output of `docker-compose config` with a `.env` that has these passwords. */
async function readConfiguration(passwords: readonly string[]): Promise<string> {
  const program = await findOrInstall('docker-compose', 'docker-compose');
  if (program === undefined)
    throw new Error('This test needs docker-compose: apt-get install docker-compose');
  const file = path.join(folder, '.env');
  await writeFile(file, passwords.map((name) => `${name}=secret-of-${name}\n`).join(''));
  const options = ['--env-file', file, '-f', path.join(ROOT, 'compose.yaml'), 'config'];
  const { stdout } = await run(program, options, { env: { PATH: process.env['PATH'] } });
  return stdout;
}

it('starts with three passwords, and no other setting is needed', async () => {
  const configuration = await readConfiguration(PASSWORDS);
  for (const name of PASSWORDS) expect(configuration).toContain(`secret-of-${name}`);
  expect(configuration).toContain('AUTH_MODE: enforced');
});

it.each(PASSWORDS)('names %s when it is missing', async (missing) => {
  await expect(readConfiguration(PASSWORDS.filter((name) => name !== missing))).rejects.toThrow(
    `Set ${missing} in .env to a random password`,
  );
});
