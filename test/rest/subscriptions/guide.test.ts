/** The example of docs/use/subscriptions.md, as it stands there. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findFreePort } from '../../../src/embedded/free-port';
import { eventually } from '../../support/eventually';
import { readBlock } from '../../support/page-blocks';
import { createShell, type Shell } from '../../support/run-command';
import { startServer, type TestServer } from '../../support/server';

const SOON_MS = 20_000;

let server: TestServer;
let shell: Shell;
beforeAll(async () => {
  server = await startServer({ environment: { OUTBOUND_ALLOWED_HOSTS: 'localhost' } });
  shell = await createShell(await mkdtemp(path.join(tmpdir(), 'andiron-subscription-')), {
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    R4: server.root('system', 'r4'),
    HOOK_PORT: String(await findFreePort()),
  });
});
afterAll(async () => {
  await server.close();
  await rm(shell.folder, { recursive: true, force: true });
});

it('the endpoint of the guide is told of a Patient', async () => {
  const block = (number: number): Promise<string> => readBlock('use/subscriptions.md', 'Try it', number);
  const [endpoint, subscribe, write, end] = await Promise.all([0, 1, 2, 3].map(block));
  // In the background, as in a window of its own.
  const inBackground = 'node endpoint.mjs > endpoint.log 2>&1 & echo $! > endpoint.pid';
  await shell.run((endpoint ?? '').replace(/^node endpoint\.mjs$/m, () => inBackground));
  const log = async (): Promise<string> => (await shell.run('cat endpoint.log')).output;
  try {
    const subscribed = await shell.run(subscribe ?? '');
    expect(JSON.parse(subscribed.output)).toMatchObject({ status: 'requested' });
    await eventually(async () => (await log()).includes('Bearer my-word handshake'), SOON_MS);
    await eventually(
      async () => (await shell.run('curl -s "$R4/Subscription/my-first"')).output.includes('"active"'),
      SOON_MS,
    );
    const written = await shell.run(write ?? '');
    expect(written.output).toContain('"type":"searchset"');
    await eventually(
      async () => /Bearer my-word event-notification .*\/?Patient\/ana"/.test(await log()),
      SOON_MS,
    );
    expect((await shell.run(end ?? '')).code).toBe(0);
    expect((await log()).trim().split('\n')).toHaveLength(2);
  } finally {
    await shell.run('kill $(cat endpoint.pid)');
  }
});
