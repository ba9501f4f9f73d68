/** The version that was landed before this one, built from the history of the repository. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { schemaNumber } from '../../src/core/storage/schema/program-schema';
import { closedAtEnd } from './left-open';

const ROOT = path.resolve(__dirname, '..', '..');
const COMMIT_FILE = path.join('test', 'faults', 'previous-version.txt');

export interface PreviousVersion {
  /** Its folder, with `dist/src/main.js`. */
  readonly program: string;
  /** The number of its last migration. */
  readonly schema: number;
  remove(): Promise<void>;
}

const run = promisify(execFile);

async function git(...args: readonly string[]): Promise<string> {
  const { stdout } = await run('git', args, { cwd: ROOT });
  return stdout.trim();
}

/**
 * A git worktree of the commit that test/faults/previous-version.txt names, built. It shares node_modules where the lockfile
 * is the same. **Throws** Error where the history does not go back to that commit.
 */
export async function buildPreviousVersion(): Promise<PreviousVersion> {
  const commit = (await readFile(path.join(ROOT, COMMIT_FILE), 'utf8')).trim();
  try {
    await git('merge-base', '--is-ancestor', commit, 'HEAD');
  } catch {
    const isShallow = (await git('rev-parse', '--is-shallow-repository')) === 'true';
    throw new Error(
      `${COMMIT_FILE} names ${commit}, which is ${isShallow ? 'not in the history of this shallow clone: git fetch --unshallow' : 'no ancestor of HEAD'}`,
    );
  }
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-previous-'));
  const program = path.join(folder, 'program');
  const remove = closedAtEnd(async () => {
    await git('worktree', 'remove', '--force', program).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
    await git('worktree', 'prune');
  });
  await git('worktree', 'add', '--quiet', '--detach', program, commit);
  const [own, previous] = await Promise.all(
    [ROOT, program].map((place) => readFile(path.join(place, 'package-lock.json'), 'utf8')),
  );
  if (own === previous) await symlink(path.join(ROOT, 'node_modules'), path.join(program, 'node_modules'));
  else {
    // Installs the packages that it needs to run; it is compiled by the compiler of this version.
    const options = ['--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['ci', ...options], { cwd: program });
    await symlink(path.join(ROOT, 'node_modules', '@swc'), path.join(program, 'node_modules', '@swc'));
  }
  await run(process.execPath, [path.join('scripts', 'build.mjs')], { cwd: program });
  const steps = (await readdir(path.join(program, 'migrations'))).filter((name) => /^\d+-/.test(name));
  return { program, schema: schemaNumber(steps), remove };
}
