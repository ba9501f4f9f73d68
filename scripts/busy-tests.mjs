/**
 * `npm run test:busy`: runs `npm test` while one loop for each processor does nothing but work, at the same priority. A test that
 * fails only here depends on the speed of the machine.
 */
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const loops = Array.from({ length: os.availableParallelism() }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
const tests = spawn('npm', ['test', '--silent', '--', ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => tests.kill(signal));
process.exitCode = await new Promise((resolve) => tests.once('exit', (code) => resolve(code ?? 1)));
for (const loop of loops) loop.kill('SIGKILL');
