/** A process with a small heap and more large bodies than it has memory for: some are refused, and it lives. */
import type { Answer } from '../support/http';
import { createHttpClient } from '../support/http';
import { startProcess, type ServerProcess } from '../support/process';
import { rounds } from '../support/rounds';

const ROUNDS = rounds(2, 20);
const MEGABYTE = 1_000_000;
const BODY = 29 * MEGABYTE;
const AT_ONCE = 4;

let server: ServerProcess;
beforeAll(async () => {
  server = await startProcess({ environment: { NODE_OPTIONS: '--max-old-space-size=256' } });
});
afterAll(() => server.close());

/** A batch of 29 MB: entries of 100 kB that create, or read. */
function batchOf(round: number): string {
  const div = `<div xmlns="http://www.w3.org/1999/xhtml">${'a'.repeat(100_000)}</div>`;
  const entry = Array.from({ length: Math.floor(BODY / 100_200) }, (_, index) => ({
    request: { method: 'PUT', url: `Basic/b-${round}-${index}` },
    resource: {
      resourceType: 'Basic',
      id: `b-${round}-${index}`,
      text: { status: 'generated', div },
      code: { text: 'a' },
    },
  }));
  return JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
}

/** Each request on a connection of its own, as of different clients. */
async function send(method: string, address: string, body?: string): Promise<Answer> {
  const client = createHttpClient(server.base);
  try {
    return await client.request(method, address, body, { 'content-type': 'application/json' });
  } finally {
    client.close();
  }
}

it(`lives through ${ROUNDS} rounds of ${AT_ONCE} batches of 29 MB in a heap of 256 MB`, async () => {
  const root = server.path('system', 'r4');
  const seen: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const body = batchOf(round);
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send('POST', root, body)));
    for (const { status, headers } of answers) {
      seen.push(status);
      expect([200, 413, 503]).toContain(status);
      if (status === 503) expect(headers['retry-after']).toMatch(/^\d+$/);
    }
    expect((await send('GET', `${root}/metadata`)).status).toBe(200);
    expect(server.isRunning()).toBe(true);
  }
  process.stdout.write(`answers of batches of 29 MB: ${seen.join(' ')}\n`);
  expect(seen).toContain(200);
});

describe('100 reads of a resource of 15 MB at once', () => {
  const address = () => `${server.path('system', 'r4')}/Binary/large`;
  beforeAll(async () => {
    const data = 'QUJD'.repeat(15_000_000 / 4);
    const binary = { resourceType: 'Binary', id: 'large', contentType: 'image/png', data };
    expect((await send('PUT', address(), JSON.stringify(binary))).status).toBe(201);
  });

  // Each round has the time of a test: it moves 1.5 GB.
  it.each(Array.from({ length: ROUNDS }, (_, round) => round + 1))(
    'leave the process alive, and some are answered (round %d)',
    async () => {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => send('GET', `${address()}?_format=json`)),
      );
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(statuses).toContain(200);
      expect(server.isRunning()).toBe(true);
    },
  );
});
