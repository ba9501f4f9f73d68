/** Two builds at once, as two quick starts in one checkout make them. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { closedAtEnd } from './support/left-open';

const LOCK = pathToFileURL(path.resolve(__dirname, '../scripts/build-lock.mjs')).href;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'andiron-lock-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Starts a process that holds the lock until its standard input ends; it prints `holds` when it has it. */
function startBuild() {
  const script = `
    import { withBuildLock } from '${LOCK}';
    await withBuildLock('${path.join(folder, 'site')}', async () => {
      console.log('holds');
      for await (const _ of process.stdin);
    });
    console.log('released');`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let output = '';
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const prints = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (output.includes(text) && resolve());
      child.stdout.on('data', look);
      child.once('exit', () => (look(), reject(new Error(output))));
      look();
    });
  child.stdout.prependListener('data', (part: Buffer) => (output += part.toString()));
  closedAtEnd(async () => void child.kill('SIGKILL'));
  return {
    prints,
    output: () => output,
    async finish() {
      child.stdin.end();
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

it('a build waits for another one of the same files', async () => {
  const first = startBuild();
  await first.prints('holds');
  const second = startBuild();
  await second.prints('Waiting for the build of process');
  expect(second.output()).not.toContain('holds');
  await first.finish();
  await second.prints('holds');
  await second.finish();
  expect(second.output()).toContain('released');
  expect(await readdir(folder)).toEqual([]);
});

it('a build that was killed blocks none of those that wait for it, and they build one after the other', async () => {
  const killed = startBuild();
  await killed.prints('holds');
  const others = [startBuild(), startBuild(), startBuild()];
  await Promise.all(others.map((other) => other.prints('Waiting')));
  await killed.kill();
  const left = new Set(others);
  while (left.size > 0) {
    const holder = await Promise.race([...left].map((other) => other.prints('holds').then(() => other)));
    expect([...left].filter((other) => other.output().includes('holds'))).toEqual([holder]);
    left.delete(holder);
    await holder.finish();
  }
});
