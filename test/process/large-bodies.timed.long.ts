/** While bodies as large as may be are worked on, the server's own thread is free for others within a tenth of a second. */
import { heldFor, PROBED } from '../support/loop-hold';
import { slowness } from '../support/machine-speed';
import { startProcess, type ServerProcess } from '../support/process';

const MOST_MS = 100;
/** Other load of the machine only adds time: the shortest of several times counts. */
const ROUNDS = 5;
const MEGABYTE = 1_000_000;

const FHIR = '/w/system/api/v1/fhir/r4';
const JSON_TYPE = { 'content-type': 'application/json' };

let server: ServerProcess;
beforeAll(async () => {
  server = await startProcess({ environment: PROBED });
});
afterAll(() => server.close());

function resourceOf(bytes: number, text = 'a'): object {
  const div = `<div xmlns="http://www.w3.org/1999/xhtml">${text.repeat(bytes / Buffer.byteLength(text))}</div>`;
  return { resourceType: 'Basic', text: { status: 'generated', div }, code: { text: 'a' } };
}

function bundleOf(type: string, text?: string): string {
  const resource = resourceOf(100_000, text);
  const entry = Array.from({ length: 300 }, () => ({ request: { method: 'POST', url: 'Basic' }, resource }));
  return JSON.stringify({ resourceType: 'Bundle', type, entry });
}

it.each([
  ['a batch of 30 MB', '', () => bundleOf('batch')],
  ['a batch of 30 MB that is not all ASCII', '', () => bundleOf('batch', 'aaaaaaaaé')],
  ['a transaction of 30 MB', '', () => bundleOf('transaction')],
  ['a resource of 15 MB', '/Basic', () => JSON.stringify(resourceOf(15 * MEGABYTE))],
])(
  '%s holds it for less than a tenth of a second',
  async (title, address, make) => {
    const body = make();
    const most = MOST_MS * slowness();
    const times: number[] = [];
    while (times.length < ROUNDS && !times.some((held) => held < most)) {
      await heldFor(server);
      const { status } = await server.request('POST', FHIR + address, body, JSON_TYPE);
      expect([200, 201]).toContain(status);
      times.push(await heldFor(server));
    }
    process.stdout.write(`${title}: ${times.join(' ')} ms, of ${most} ms\n`);
    expect(Math.min(...times)).toBeLessThan(most);
  },
  60_000,
);
