/** The step that masks the values of headers in Subscriptions that earlier programs stored. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import { maskHeaders, TYPE_NUMBERS } from '../../../migrations/0044-masked-headers';
import { loadDefinitions } from '../../../src/core/fhir/definitions';
import { migrate } from '../../../src/core/storage/schema/migrate';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { silentLog } from '../../support/log';
import { TESTED_RELEASES } from '../../support/releases';

const SECRET = 'Bearer s3cret-word';

it.each(TESTED_RELEASES)('the number of the type Subscription is that of the rows of %s', (release) => {
  expect(loadDefinitions(release).typeNumber('Subscription')).toBe(TYPE_NUMBERS[release]);
});

it.each([
  ['{"channel":{"header":["Authorization: abcdef"]}}', '{"channel":{"header":["Authorization: ******"]}}'],
  [
    '{"channel":{"header":["A:b c", "D: é\\"\\u0041,"] }}',
    '{"channel":{"header":["A:***", "D: **********"] }}',
  ],
  ['{"channel":{"header":["X: 1","no name"]}}', '{"channel":{"header":["X:**","*******"]}}'],
  [
    '{ "header":["A: bcd"], "channel":{"type":"a, b","_header":["A: bcd"],"extension":[{"header":["A: bcd"]}]}}',
    undefined,
  ],
  [
    '{"contained":[{"channel":{"header":["A: bcd"]}}],"reason":"\\"channel\\":{\\"header\\":[\\"A: bcd\\"]}"}',
    undefined,
  ],
  ['{"channel":{"endpoint":"x","header":[],"payload":"header"},"status":"off"}', undefined],
])('the values of channel.header alone are masked in their length: %s', (text, masked) => {
  expect(maskHeaders(text)).toBe(masked ?? text);
  expect(maskHeaders(text)).toHaveLength(text.length);
});

describe('an upgrade', () => {
  let database: TestDatabase;
  let owner: Client;
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    owner = new Client(database.settings);
    await owner.connect();
    const dump = path.join(__dirname, 'database-of-schema-33.sql');
    await owner.query(await readFile(dump, 'utf8'));
  });
  afterAll(async () => {
    await owner.end();
    await database.drop();
  });

  it('masks them in every version, also of the base spaces, and nothing else', async () => {
    const { rows: spaces } = await owner.query<{ number: number; release: 'r4' | 'r4b' }>(
      `select number, release from andiron.space where kind = 'data' order by number`,
    );
    expect(spaces.length).toBeGreaterThan(2);
    const body = (header: string) =>
      `{"resourceType":"Subscription","id":"s","status":"off","channel":{"header":["Authorization: ${header}"]},"meta":{}}`;
    const add = (space: number, type: number, version: number, text: string) =>
      owner.query(
        `insert into andiron.resource_version
           (space, version, resource_key, last_updated, sequence, meta_offset, resource_type, change, id, author, body)
         values ($1, $2, -7, 0, 1000 + $2, $5, $3, 1, 's', null, $4)`,
        [space, version, type, text, text.indexOf('{}')],
      );
    for (const { number, release } of spaces) {
      for (let version = 1; version <= 201; version++)
        await add(number, TYPE_NUMBERS[release], version, body(`${SECRET} é`));
      await add(number, 1, 1, body('of another type'));
    }
    const counted = async () =>
      (await owner.query<{ bytes: string }>(`select sum(bytes) as bytes from andiron.change_counter`))
        .rows[0];
    const before = Number((await counted())?.bytes);
    // The same as before, or the base spaces would be filled again.
    const { rows: installations } = await owner.query<{ digest: string }>(
      `select coalesce(definitions_digest, 'none') as digest from andiron.installation`,
    );
    await owner.query(
      `update andiron.installation set definitions_digest = 'none' where definitions_digest is null`,
    );
    await migrate({
      ...{ database: database.settings, log: silentLog, noticeMs: 0 },
      base: { digest: installations[0]?.digest ?? '', writes: () => [], types: () => new Set() },
    });
    const { rows } = await owner.query<{ body: string; meta_offset: number; count: string }>(
      `select body, meta_offset, count(*) from andiron.resource_version where resource_key = -7 group by 1, 2 order by 3`,
    );
    const masked = body('*'.repeat(`${SECRET} é`.length));
    expect(rows).toEqual([
      { body: body('of another type'), meta_offset: expect.any(Number), count: String(spaces.length) },
      { body: masked, meta_offset: masked.indexOf('{}'), count: String(201 * spaces.length) },
    ]);
    const tenants = spaces.filter(({ number }) => number > 2).length;
    expect(Number((await counted())?.bytes)).toBe(before - 201 * tenants);
  });
});
