/** Version-sequences of a database from before schema 62: they have 32 bits until the operator makes them longer. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client } from 'pg';
import type { RequestContext } from '../../../src/core';
import { lengthenSequences, readSequenceRange } from '../../../src/core/storage/schema/long-sequences';
import { openCore, type OpenedCore } from '../../support/core';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { readSchema } from '../../support/database-schema';
import { closedAtEnd } from '../../support/left-open';
import { recordingLog, silentLog } from '../../support/log';

const LARGEST_INTEGER = 2 ** 31 - 1;

let database: TestDatabase;
let owner: Client;
let opened: OpenedCore;
let context: RequestContext;
beforeAll(async () => {
  database = await createTestDatabase({ empty: true });
  owner = new Client(database.settings);
  await owner.connect();
  closedAtEnd(() => owner.end());
  await owner.query(await readFile(path.join(__dirname, 'database-of-schema-33.sql'), 'utf8'));
  // The next connection gets the usual settings, not those of the dump.
  await owner.query('discard all');
  opened = await openCore({ database });
  context = await opened.context('system', 'r4');
});
afterAll(async () => {
  await opened.close();
  await owner.end();
  await database.drop();
});

const lengthen = (): Promise<boolean> =>
  lengthenSequences({ database: database.settings, log: silentLog, waitMs: 60_000 });

async function put(id: string, family: string): Promise<number> {
  const { version } = await opened.core.interactions.update(context, {
    ...{ type: 'Patient', id },
    input: { text: JSON.stringify({ resourceType: 'Patient', id, name: [{ family }] }) },
  });
  return version.sequence;
}
const readAll = async (): Promise<readonly string[]> => {
  const { versions } = await opened.core.interactions.history(context, { type: 'Patient', count: 1000 });
  return versions.map(({ id, versionId, sequence }) => `${id}/${versionId} ${sequence}`);
};
const setCounter = (last: number): Promise<unknown> =>
  owner.query(
    'update andiron.change_counter set last_sequence = $1 where tenant = (select tenant from andiron.space where number = $2)',
    [last, context.space.number],
  );

it('an upgrade leaves the type of the columns, which would rewrite the versions', async () => {
  expect((await readSequenceRange(owner)).bits).toBe(32);
});

it('writes beyond 2^31 - 1 are refused until the columns are longer; afterwards the same process writes, reads and searches on', async () => {
  await setCounter(LARGEST_INTEGER - 1);
  expect(await put('a', 'Abel')).toBe(LARGEST_INTEGER);
  await expect(put('a', 'Bell')).rejects.toMatchObject({ key: 'sequenceExhausted' });
  const before = await readAll();
  const found = async (): Promise<number> => {
    const search = {
      type: 'Patient',
      parameters: [['_sort', '-_lastUpdated'] as const],
      handling: 'strict',
    } as const;
    return (await opened.core.interactions.search(context, search)).matches.length;
  };
  const count = await found();
  expect(await lengthen()).toBe(true);
  expect(await readAll()).toEqual(before);
  expect(await found()).toBe(count);
  expect(await put('a', 'Bell')).toBe(LARGEST_INTEGER + 1);
  expect(await put('b', 'Coll')).toBe(LARGEST_INTEGER + 2);
  expect(await readAll()).toEqual([`b/1 ${LARGEST_INTEGER + 2}`, `a/2 ${LARGEST_INTEGER + 1}`, ...before]);
  expect(await found()).toBe(count + 1);
  expect(await opened.core.streams.lastSequence(context)).toBe(LARGEST_INTEGER + 2);
});

it('the database then has the schema of a new one, and nothing left to do', async () => {
  const fresh = await createTestDatabase();
  expect(await readSchema(database.settings)).toEqual(await readSchema(fresh.settings));
  await fresh.drop();
  expect(await readSequenceRange(owner)).toEqual({ bits: 64, last: LARGEST_INTEGER + 2 });
  expect(await lengthen()).toBe(false);
});

it('a table that others use is waited for, and the time of the wait is limited', async () => {
  await owner.query('begin');
  await owner.query('alter table andiron.change_counter alter column last_sequence type int using 0');
  await owner.query('commit');
  await owner.query('begin');
  await owner.query('lock table andiron.resource_version in access share mode');
  await expect(
    lengthenSequences({ database: database.settings, log: recordingLog().log, waitMs: 100 }),
  ).rejects.toThrow('The tables could not be locked within 100 ms (MIGRATION_WAIT_MS)');
  await owner.query('rollback');
  expect(await lengthen()).toBe(true);
});
