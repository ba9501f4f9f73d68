import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { HEAP_GROWTH_FLAG } from '../../src/cli/heap-growth';

const run = promisify(execFile);

describe('how far the heap may grow before it is marked', () => {
  it('is said by a flag that this Node.js knows', async () => {
    const { stdout } = await run(process.execPath, ['--v8-options']);
    expect(stdout).toContain(`${HEAP_GROWTH_FLAG} `);
  });

  it('can be said while a program runs, and nothing complains', async () => {
    const program = `require('node:v8').setFlagsFromString('${HEAP_GROWTH_FLAG}=100')`;
    expect(await run(process.execPath, ['-e', program])).toEqual({ stdout: '', stderr: '' });
  });
});
