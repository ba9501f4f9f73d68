import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HEAP_FLAGS } from '../../src/cli/heap-flags';

const run = promisify(execFile);

describe.each(HEAP_FLAGS)('the flag $flag', ({ name, flag }) => {
  it('is one that this Node.js supports', async () => {
    const { stdout } = await run(process.execPath, ['--v8-options']);
    expect(stdout).toContain(`${name} `);
  });

  it('can be set while a program runs, without a warning', async () => {
    const program = `require('node:v8').setFlagsFromString('${flag}')`;
    expect(await run(process.execPath, ['-e', program])).toEqual({ stdout: '', stderr: '' });
  });
});
