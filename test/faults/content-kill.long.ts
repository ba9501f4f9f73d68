/** kill -9 during uploads of large content, wherever it is stored: what was acknowledged is whole, and nothing else is left. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { request as sendRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { openFakeBucket, type FakeBucket } from '../support/fake-bucket';
import { closedAtEnd } from '../support/left-open';
import { startProcess } from '../support/process';
import { killRounds } from '../support/rounds';

const MB = 1024 * 1024;
const WITHIN_MS = 120_000;
const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let database: TestDatabase;
let owner: Client;
let folder: string;
let bucket: FakeBucket;
beforeEach(async () => {
  database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
  closedAtEnd(() => owner.end());
  folder = mkdtempSync(path.join(tmpdir(), 'andiron-content-'));
  closedAtEnd(() => rm(folder, { recursive: true }));
  bucket = await openFakeBucket();
});

async function count(table: string, condition = 'true'): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(
    `select count(*) from andiron.${table} where ${condition}`,
  );
  return Number(rows[0]?.count);
}

const filesOf = (part: boolean): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
    (one) => one.isFile() && one.name.endsWith('.part') === part,
  ).length;

/** Of each store: its settings, the objects that it has, and what an unfinished upload has left or is leaving. */
const STORES = {
  database: {
    environment: () => ({}),
    whole: () => count('content_chunk').then((chunks) => chunks / 14),
    begun: () => count('content_chunk', `content in (select id from andiron.content where version is null)`),
  },
  folder: {
    environment: () => ({ CONTENT_STORE: 'folder', CONTENT_FOLDER: folder }),
    whole: () => Promise.resolve(filesOf(false)),
    begun: () => Promise.resolve(filesOf(true)),
  },
  bucket: {
    environment: () => bucket.environment,
    whole: () => Promise.resolve(bucket.objects.size),
    begun: () => Promise.resolve(bucket.uploads.size),
  },
} as const;

it.each(['database', 'folder', 'bucket'] as const)(
  'an acknowledged upload to the %s is whole, and an interrupted one leaves nothing',
  async (store) => {
    const { environment, whole, begun } = STORES[store];
    const bytes = randomBytes(14 * MB);
    // Two processes share the store: the one that lives removes what the other has left.
    const other = await startProcess({ database, environment: environment() });
    const root = other.path('system', 'r4');
    const rounds = killRounds(2, 10);
    for (let round = 0; round < rounds; round++) {
      const server = await startProcess({ database, environment: environment() });
      const stored = await server.request('PUT', `${root}/Binary/whole-${round}`, bytes, {
        'content-type': 'image/tiff',
      });
      expect(stored.status).toBe(201);
      const part = sendRequest(`${server.base}${root}/Binary/part-${round}`, {
        ...{ method: 'PUT', headers: { 'content-type': 'image/tiff', 'content-length': bytes.length } },
      });
      part.on('error', () => undefined);
      part.write(bytes.subarray(0, 12 * MB));
      await eventually(async () => (await begun()) > 0, WITHIN_MS);
      await server.kill();
      part.destroy();
      await server.close();
      expect((await other.request('GET', `${root}/Binary/part-${round}`)).status).toBe(404);
      // Its heartbeat would end after a minute.
      await owner.query(
        `update andiron.content set beat = now() - interval '61 seconds' where version is null`,
      );
      await eventually(
        async () => (await count('content')) === round + 1 && (await begun()) === 0,
        WITHIN_MS,
      );
      const { bytes: loaded } = await other.request('GET', `${root}/Binary/whole-${round}`);
      expect(sum(loaded)).toBe(sum(bytes));
    }
    expect(await whole()).toBe(rounds);
    await other.close();
  },
);
