/** Values of megabytes on their way to PostgreSQL and back. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { joinPieces, selectInPieces } from '../../../src/core/storage/connection/long-text';
import { OwnerSession } from '../../../src/core/storage/connection/owner-session';
import { bind, defineStatement, template } from '../../../src/core/storage/connection/statement';
import { createTestDatabase, type TestDatabase } from '../../support/database';

const MEGABYTE = 1024 * 1024;

let database: TestDatabase;
let session: OwnerSession;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  session = await OwnerSession.open(database.settings);
});
afterAll(async () => {
  await session.close();
  await database.drop();
});

const ECHO = defineStatement(
  template(sql`
    select encode(${bind('bytes')}::bytea, 'base64'), ${bind('text')}::text, ${bind('null')}::int,
           ${bind('number')}::int, ${bind('flag')}::boolean, length(${bind('other')}::bytea)`),
);
const TEXT = defineStatement(template(selectInPieces(sql`select ${bind('text')}::text`)));

it.each([3, 300 * 1024, 5 * MEGABYTE])(
  '%d bytes beside other values are stored as they were sent',
  async (length) => {
    const bytes = randomBytes(length);
    const bound = {
      bytes,
      text: 'é '.repeat(3),
      null: null,
      number: -7,
      flag: true,
      other: randomBytes(MEGABYTE),
    };
    for (let round = 0; round < 2; round++) {
      const [row] = await session.run(ECHO, bound);
      expect(Buffer.from(String(row?.[0]), 'base64').equals(bytes)).toBe(true);
      expect(row?.slice(1)).toEqual([bound.text, null, -7, true, MEGABYTE]);
    }
  },
);

it('a large value that PostgreSQL refuses leaves the connection in order', async () => {
  const bound = {
    bytes: Buffer.alloc(0),
    text: Buffer.alloc(MEGABYTE, 0xff),
    null: null,
    number: 1,
    flag: true,
  };
  await expect(session.run(ECHO, { ...bound, other: Buffer.alloc(1) })).rejects.toThrow();
  const [row] = await session.run(ECHO, { ...bound, text: 'a', other: Buffer.alloc(2) });
  expect(row).toEqual(['', 'a', null, 1, true, 2]);
});

it.each([
  ['an empty text', ''],
  ['a short text', 'é'],
  ['a text of one piece exactly', 'a'.repeat(MEGABYTE)],
  ['a text whose pieces end within a character', `a${'é€😀'.repeat(MEGABYTE / 3)}`],
])('%s is read as its bytes', async (_, text) => {
  const bytes = await joinPieces(await session.run(TEXT, { text }));
  expect(bytes?.toString('utf8') === text).toBe(true);
});

it('no text is read as none', async () => {
  expect(await joinPieces(await session.run(TEXT, { text: null }))).toBeUndefined();
});
