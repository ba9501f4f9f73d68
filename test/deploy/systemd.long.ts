/** The unit for machines with systemd, as systemd itself judges it. */
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { findOrInstall } from '../support/programs';

const UNIT = path.resolve(__dirname, '../../deploy/systemd/andiron.service');

it('has no fault, and leaves the server few rights', async () => {
  const program = await findOrInstall('systemd-analyze', 'systemd');
  if (program === undefined) throw new Error('This test needs systemd-analyze: apt-get install systemd');
  const run = promisify(execFile);
  const { stderr } = await run(program, ['verify', UNIT]);
  expect(stderr).toBe('');
  const { stdout } = await run(program, ['security', '--offline=true', '--no-pager', UNIT]);
  const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? [];
  expect(Number(exposure)).toBeLessThan(3);
});
