/** kill -9 during uploads of large content: what was acknowledged is whole, and nothing else is left. */
import { createHash, randomBytes } from 'node:crypto';
import { request as sendRequest } from 'node:http';
import { Client } from 'pg';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { startProcess } from '../support/process';
import { killRounds } from '../support/rounds';

const MB = 1024 * 1024;
const WITHIN_MS = 120_000;
const sum = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let database: TestDatabase;
let owner: Client;
beforeAll(async () => {
  database = await createTestDatabase();
  owner = new Client(database.settings);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await database.drop();
});

async function count(table: string): Promise<number> {
  const { rows } = await owner.query<{ count: string }>(`select count(*) from andiron.${table}`);
  return Number(rows[0]?.count);
}

it('an acknowledged upload is whole, and an interrupted one leaves nothing', async () => {
  const bytes = randomBytes(14 * MB);
  let server = await startProcess({ database });
  const root = server.path('system', 'r4');
  let acknowledged = 0;
  for (let round = 0; round < killRounds(2, 20); round++) {
    const whole = await server.request('PUT', `${root}/Binary/whole-${round}`, bytes, {
      'content-type': 'image/tiff',
    });
    expect(whole.status).toBe(201);
    acknowledged += 1;
    const before = await count('content_chunk');
    const part = sendRequest(`${server.base}${root}/Binary/part-${round}`, {
      ...{ method: 'PUT', headers: { 'content-type': 'image/tiff', 'content-length': bytes.length } },
    });
    part.on('error', () => undefined);
    part.write(bytes.subarray(0, 5 * MB));
    await eventually(async () => (await count('content_chunk')) > before, WITHIN_MS);
    await server.kill();
    part.destroy();
    server = await startProcess({ database });
    expect((await server.request('GET', `${root}/Binary/part-${round}`)).status).toBe(404);
    // Its heartbeat would end after a minute.
    await owner.query(
      `update andiron.content set beat = now() - interval '61 seconds' where version is null`,
    );
    await eventually(async () => (await count('content')) === acknowledged, WITHIN_MS);
    const { bytes: loaded } = await server.request('GET', `${root}/Binary/whole-${round}`);
    expect(sum(loaded)).toBe(sum(bytes));
  }
  expect(await count('content_chunk')).toBe(14 * acknowledged);
  await server.close();
});
