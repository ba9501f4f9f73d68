/** Endpoints that fail, hang, redirect, close or drip delay nobody else: 200 changes a second, told within a second. */
import { createTestDatabase } from '../support/database';
import { startEndpoint, type Behaviour } from '../support/endpoint';
import { eventually } from '../support/eventually';
import { slowness } from '../support/machine-speed';
import { startProcess } from '../support/process';
import { rounds } from '../support/rounds';
import { makeSubscription, readNotification, sender, subscription, TOPIC } from '../support/subscriptions';

const SECONDS = rounds(8, 60);
const PER_SECOND = 200;
const WITHIN_MS = 1_000;

const BAD: Readonly<Record<string, Behaviour>> = {
  '/fails': (_received, response) => {
    response.statusCode = 500;
    response.end();
  },
  '/hangs': () => undefined,
  '/redirects': (_received, response) => {
    response.writeHead(307, { location: '/target' });
    response.end();
  },
  '/closes': (_received, response) => {
    response.destroy();
  },
  '/drips': (_received, response) => {
    response.writeHead(200, { 'content-length': '1000000' });
    const timer = setInterval(() => response.write('a'), 100);
    response.on('close', () => clearInterval(timer));
  },
};
const GOOD = ['/good-1', '/good-2', '/good-3'];

it('healthy endpoints hear of each change within a second, whatever the others do', async () => {
  let isHandshake = true;
  const endpoint = await startEndpoint((received, response) => {
    const bad = isHandshake ? undefined : BAD[received.path];
    if (bad === undefined) response.end();
    else bad(received, response);
  });
  const database = await createTestDatabase();
  const server = await startProcess({
    database,
    environment: { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1:*', VALIDATION: 'structure' },
  });
  const root = server.path('system', 'r4');
  const send = sender(server);
  for (const path of [...GOOD, ...Object.keys(BAD)])
    await makeSubscription(
      send,
      root,
      subscription({ endpoint: endpoint.base + path, criteria: `${TOPIC}/Device`, content: 'full-resource' }),
    );
  isHandshake = false;

  const begun = performance.now();
  const writes: Promise<unknown>[] = [];
  const total = SECONDS * PER_SECOND;
  for (let written = 0; written < total;) {
    const due = Math.min(total, Math.ceil(((performance.now() - begun) / 1000) * PER_SECOND));
    for (; written < due; written++) writes.push(send('POST', `${root}/Device`, { resourceType: 'Device' }));
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await Promise.all(writes);

  const delays: number[] = [];
  for (const path of GOOD) {
    const told = (): readonly (readonly [number: number, delay: number])[] =>
      endpoint.received
        .filter((one) => one.path === path)
        .flatMap((one) => {
          const { numbers, entries } = readNotification('r4', one);
          return numbers.map((number, index) => {
            const meta = entries[index]?.resource?.['meta'] as { lastUpdated: string };
            return [number, one.at - Date.parse(meta.lastUpdated)] as const;
          });
        });
    await eventually(async () => told().length >= total, 30_000);
    expect(told().map(([number]) => number)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    delays.push(...told().map(([, delay]) => delay));
  }
  delays.sort((one, other) => one - other);
  const at = (share: number): number => delays[Math.floor(delays.length * share)] ?? Infinity;
  process.stdout.write(
    `${total} changes: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(0.9999)} ms\n`,
  );
  expect(at(0.99)).toBeLessThan(WITHIN_MS * slowness());
  // A redirect could lead to an address that may not be called.
  expect(endpoint.received.filter(({ path }) => path === '/target')).toEqual([]);
  // The others are tried again and again, and keep their events.
  for (const path of Object.keys(BAD)) {
    const attempts = endpoint.received.filter((one) => one.path === path).length;
    expect([path, attempts > 1, attempts < 60]).toEqual([path, true, true]);
  }
  await server.close();
  await endpoint.close();
  await database.drop();
});
