/** The program for Relay of docs/use/front-end.md, with a document that Relay's compiler has made of one of the tests. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { readBlocks } from '../support/page-blocks';

const ROOT = path.resolve(__dirname, '..', '..');
const FILES = ['relay.ts', 'client-options.ts', 'add-keys.ts'];
const FLAGS = '--strict --noEmit --target es2022 --module esnext --moduleResolution bundler --skipLibCheck';

it('the program for Relay passes the type check with the files that the page names', async () => {
  const blocks = await readBlocks('use/front-end.md');
  const program = blocks.find(({ text }) => text.includes("from 'relay-runtime'"))?.text ?? '';
  const [, compiled] = /'\.\/__generated__\/(.*)'/.exec(program) ?? [];
  const folder = await mkdtemp(path.join(tmpdir(), 'andiron-relay-'));
  try {
    await mkdir(path.join(folder, '__generated__'));
    await symlink(path.join(__dirname, 'node_modules'), path.join(folder, 'node_modules'));
    for (const name of FILES) await cp(path.join(ROOT, 'examples/front-end', name), path.join(folder, name));
    await cp(
      path.join(ROOT, 'test/clients/front-end/__generated__/scenarioPatientQuery.graphql.ts'),
      path.join(folder, '__generated__', `${compiled}.ts`),
    );
    await writeFile(path.join(folder, 'program.ts'), program);
    const tsc = ['node_modules/.bin/tsc', ...FLAGS.split(' '), 'program.ts'];
    const { stdout } = await promisify(execFile)(process.execPath, tsc, { cwd: folder });
    expect(stdout).toBe('');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
