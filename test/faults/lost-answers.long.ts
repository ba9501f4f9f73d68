/**
 * Hundreds of writes on connections that break: before the statement arrives, after its execution, after its commit.
 * Each answer is true: a write answered 200 or 201 is stored exactly once, one answered as not stored is absent.
 */
import { openCore } from '../support/core';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { startServer, type Answer, type TestServer } from '../support/server';
import { throughForwarder } from './database-through';
import { loss, startForwarder, type Forwarder, type Loss } from './forwarder';
import { rounds } from '../support/rounds';

const WRITES_OF_EACH_KIND = rounds(25, 400);
const MOST_WRITES = 400;
const AT_ONCE = 6;
const ROOT = '/w/system/api/v1/fhir/r4';

let database: TestDatabase;
let forwarder: Forwarder;
let server: TestServer;
let witness: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  forwarder = await startForwarder();
  server = await startServer({ database: throughForwarder(database, forwarder) });
  witness = await startServer({ database });
});

afterAll(async () => {
  await server.close();
  await witness.close();
  await forwarder.close();
  await database.drop();
});

const patient = (family: string, id?: string) => ({
  resourceType: 'Patient',
  ...(id === undefined ? {} : { id }),
  name: [{ family }],
});

/** The criteria have no word in them: looking for it loses nothing. */
const numberOf = (word: string): string => word.replace(/\D/g, '');

async function countStored(family: string): Promise<number> {
  const { json } = await witness.request('GET', `${ROOT}/Patient?family=${family}&_summary=count`);
  return json.total;
}

async function versionOf(id: string): Promise<string | undefined> {
  const { status, headers } = await witness.request('GET', `${ROOT}/Patient/${id}`);
  return status === 200 ? headers.etag : status === 410 ? 'deleted' : undefined;
}

/** A kind of write about one word, with a check whether it is stored, as others see it. */
interface Kind {
  before?(word: string): Promise<unknown>;
  write(word: string): Promise<Answer>;
  isStored(word: string): Promise<boolean>;
}

async function isStoredTimes(word: string, times: number): Promise<boolean> {
  const count = await countStored(word);
  if (count !== 0 && count !== times) throw new Error(`${word} is stored ${count} times`);
  return count === times;
}

const KINDS: Readonly<Record<string, Kind>> = {
  create: {
    write: (word) => server.request('POST', `${ROOT}/Patient`, patient(word)),
    isStored: (word) => isStoredTimes(word, 1),
  },
  'conditional create': {
    write: (word) =>
      server.request(
        'POST',
        `${ROOT}/Patient`,
        { ...patient(word), identifier: [{ value: numberOf(word) }] },
        { 'if-none-exist': `identifier=${numberOf(word)}` },
      ),
    isStored: (word) => isStoredTimes(word, 1),
  },
  'create by PUT': {
    write: (word) => server.request('PUT', `${ROOT}/Patient/${word}`, patient(word, word)),
    isStored: async (word) => (await versionOf(word)) === 'W/"1"',
  },
  update: {
    before: (word) => witness.request('PUT', `${ROOT}/Patient/${word}`, patient('Before', word)),
    write: (word) => server.request('PUT', `${ROOT}/Patient/${word}`, patient(word, word)),
    isStored: async (word) => (await versionOf(word)) === 'W/"2"',
  },
  delete: {
    before: (word) => witness.request('PUT', `${ROOT}/Patient/${word}`, patient('Before', word)),
    write: (word) => server.request('DELETE', `${ROOT}/Patient/${word}`),
    isStored: async (word) => (await versionOf(word)) === 'deleted',
  },
  'transaction of creates': {
    write: (word) =>
      server.request('POST', ROOT, {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [1, 2, 3].map(() => ({
          resource: patient(word),
          request: { method: 'POST', url: 'Patient' },
        })),
      }),
    isStored: (word) => isStoredTimes(word, 3),
  },
  'transaction of updates': {
    write: (word) =>
      server.request('POST', ROOT, {
        resourceType: 'Bundle',
        type: 'transaction',
        entry: [1, 2].map((place) => ({
          resource: patient(word, `${word}${place}`),
          request: { method: 'PUT', url: `Patient/${word}${place}` },
        })),
      }),
    isStored: (word) => isStoredTimes(word, 2),
  },
};

const LOSSES: readonly Loss[] = ['statement', 'answer', 'end'];

it.each(Object.entries(KINDS))('each answer of a %s is true', async (_name, kind) => {
  const outcomes = { stored: 0, refused: 0, unknown: 0 };
  let sent = 0;
  // The outcome is random: it goes on until both have occurred, within a limit.
  const isDone = (): boolean =>
    sent >= MOST_WRITES || (sent >= WRITES_OF_EACH_KIND && outcomes.stored > 0 && outcomes.refused > 0);
  const work = async (): Promise<void> => {
    while (!isDone()) {
      sent += 1;
      const word = loss(LOSSES[sent % LOSSES.length] ?? 'answer');
      await kind.before?.(word);
      const { status, text, headers } = await kind.write(word);
      const isStored = await kind.isStored(word);
      if (status === 200 || status === 201) {
        outcomes.stored += 1;
        expect({ word, status, isStored }).toEqual({ word, status, isStored: true });
      } else if (text.includes('may have been stored')) {
        outcomes.unknown += 1;
      } else {
        outcomes.refused += 1;
        expect({ word, status, isStored }).toEqual({ word, status: 503, isStored: false });
        expect(headers['retry-after']).toBe('1');
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  // The server could be reached each time.
  expect(outcomes.unknown).toBe(0);
  expect(outcomes.stored).toBeGreaterThan(0);
  expect(outcomes.refused).toBeGreaterThan(0);
});

it('has lost the expected answers, and the index matches the versions', async () => {
  for (const of of LOSSES) expect(forwarder.losses.get(of)).toBeGreaterThan(WRITES_OF_EACH_KIND / 3);
  const opened = await openCore({ database });
  expect(await opened.differences('system')).toEqual([]);
  await opened.close();
});

it('says that it may have been stored when the server is down, and suggests no repeat of a POST', async () => {
  const statements: readonly (readonly [string, string])[] = [
    ['POST', `${ROOT}/Patient`],
    ['PUT', `${ROOT}/Patient/away`],
  ];
  for (const [method, path] of statements) {
    const word = loss('answer');
    const before = forwarder.losses.get('answer') ?? 0;
    const answered = server.request(method, path, patient(word, 'away'));
    while ((forwarder.losses.get('answer') ?? 0) === before)
      await new Promise((resolve) => setImmediate(resolve));
    forwarder.cut();
    const { status, text, headers } = await answered;
    expect(status).toBe(503);
    expect(text).toContain('may have been stored');
    expect(headers['retry-after']).toBe(method === 'POST' ? undefined : '1');
    expect(await countStored(word)).toBe(1);
    forwarder.point(database.settings.port);
  }
});
